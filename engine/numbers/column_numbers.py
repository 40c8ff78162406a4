"""Numbers that are not values: names of columns (such as percentiles), row numbers and limits. Pure."""

import re
from collections.abc import Sequence

from engine.numbers.derivation import Bound
from engine.numbers.labels import Labels
from engine.numbers.mention import Mention
from engine.numbers.places import Place
from engine.numbers.scopes import Text

__all__ = ["is_limit", "names_column", "names_percentile", "numbers_row"]


def names_percentile(mention: Mention, beside: Sequence[Bound], labels: Labels) -> bool:
    """Return whether a percentage names a neighbouring number's column: "ninety percent within 61" for `p90`."""
    part = mention.value * (1.0 if mention.kind == "percent" else 100.0)
    if mention.kind not in ("percent", "part") or not float(part).is_integer():
        return False
    wanted = {f"p{part:.0f}", *(("median",) if part == 50 else ())}
    columns = (labels.tables[cell.table].column_words[cell.column] for one in beside for cell in one.cells)
    return any(wanted & set(words) for words in columns)


_NONE = re.compile(r"\b(?:no|every|all|each)\s[*_`]*[a-z]", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:exceed(?:s|ed)?|clears?|cleared|top(?:s|ped)?|cross(?:es|ed)?|pass(?:es|ed)?|reach(?:es|ed)?|above|below|over|under|(?:more|less|fewer|better|worse|higher|lower)"
    r"\sthan|at\s(?:least|most))\s(?:an?\s[a-z]+\sof\s|[a-z]+\s)?[*_`$€£]*$",
    re.IGNORECASE,
)


def is_limit(text: Text, place: Place) -> bool:
    """Return whether a round number is only the limit in a count: "two lines clear 90%", "none exceeds 3%"."""
    counts = any(one.kind in ("count", "none") for one in place.beside)
    counts = counts or _NONE.search(text.text, place.passage.start, place.mention.start) is not None
    said = _LIMIT.search(text.text, place.passage.start, place.mention.start)
    return counts and place.mention.digits < 3 and said is not None


def numbers_row(text: Text, place: Place) -> bool:
    """Return whether a number is a row number of a Markdown table: the first cell of its row, below "#" or "Rank"."""
    cells, passage = place.passage.cells, place.passage
    if not cells:
        return False
    header = text.text[slice(*cells[-1])].strip(" *_`.").casefold()
    line = text.text.rfind("\n", 0, passage.start) + 1
    first = not text.text[line : passage.start].strip(" |")
    return first and header in _RANKS and 0 < place.mention.value <= 100 and place.mention.value.is_integer()


_RANKS = frozenset(["#", "rank", "no", "nr", "pos", "position", "place", ""])


def names_column(text: Text, place: Place) -> bool:
    """Return whether a whole number is part of a column's name: "1-year return" for `return_1y`, "5 km" for `km_5`."""
    mention = place.mention
    if mention.kind != "number" or not mention.value.is_integer() or mention.value >= 1000:
        return False
    behind = text.words_in([(mention.end, mention.end + 14)])
    digits = f"{mention.value:.0f}"
    for names in text.labels.tables:
        for column in names.measures:
            words = names.column_words[column]
            if digits in words and behind & set(words):
                return True
            if any(f"{digits}{word[0]}" in words for word in behind if word[:1].isalpha()):
                return True
    return False
