"""Numbers that are not values: names of columns (such as percentiles), row numbers and limits. Pure."""

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.numbers.derivation import Bound
from engine.numbers.labels import Labels
from engine.numbers.mention import Mention
from engine.numbers.places import Place
from engine.numbers.scopes import Text

__all__ = ["given_reason", "plain_reason"]


_IN = re.compile(r"\s(?:in|of)\s")


def plain_reason(text: Text, place: Place, beside: Sequence[Bound]) -> str | None:
    """Return a short reason if a number only names something and need not be in a result; None if the number is a
    value. `beside` are the known numbers next to it.
    """
    mention = place.mention
    if names_row(text, mention, beside):
        return "names its row"
    if numbers_row(text, place):
        return "a row of the table"
    if names_column(text, place):
        return "names its column"
    if names_percentile(mention, beside, text.labels):
        return "names a percentile"
    if mention.kind == "part" and _IN.search(mention.text):
        return "a share in words"
    if is_limit(text, place):
        return "a threshold for counting rows"
    return "the base of a rate" if is_base(text, place) else None


def given_reason(text: Text, place: Place) -> str | None:
    """Return a short reason why a number does not follow from cells: it is in the query, or it is an assumption. None
    if there is no reason.
    """
    if is_label(text, place.mention):
        return "names its row"
    if is_assumed(text, place):
        return "an assumption"
    return "a limit in the query" if is_in_query(text, place) else None


def names_percentile(mention: Mention, beside: Sequence[Bound], labels: Labels) -> bool:
    """Return whether a percentage names a neighbouring number's column: "ninety percent within 61" for `p90`."""
    part = mention.value * (1.0 if mention.kind == "percent" else 100.0)
    if mention.kind not in ("percent", "part") or not float(part).is_integer():
        return False
    wanted = {f"p{part:.0f}", *(("median",) if part == 50 else ())}
    columns = (labels.tables[cell.table].column_words[cell.column] for one in beside for cell in one.cells)
    return any(wanted & set(words) for words in columns)


_WITH = re.compile(r"[*_`]*(?:,\s?[\w -]{1,40}?)?\s?(?:with|has|had|at|:|\()\s?[*_`$€£]*", re.IGNORECASE)
"""Words between a row's number and the value: "lowest 73 with 17.10"."""


def names_row(text: Text, mention: Mention, beside: Sequence[Bound]) -> bool:
    """Return whether a whole number names the row of the number directly after it: "8 cylinders with 103"."""
    after = [one for one in beside if mention.end <= one.written.start]
    for cell in (one.cells[0] for one in after[:1] if len(one.cells) == 1):
        if not _WITH.fullmatch(text.text[mention.end : after[0].written.start]):
            continue
        table = text.labels.tables[cell.table].table
        if any(table.number(cell.row, column) == mention.value for column in range(cell.column)):
            return mention.value.is_integer() and mention.unit is None
    return False


def is_label(text: Text, mention: Mention) -> bool:
    """Return whether a number is the label of a row: 20 in "190 at 20 %", if `discount_pct` labels the rows."""
    span = mention.start, mention.end
    return any(
        text.rows_in(names.at, column, span) for names in text.labels.tables for column in names.ordinals
    )


_EVERY = re.compile(r"\b(?:every|each|any)\s[*_`]*$", re.IGNORECASE)
_SCALE = re.compile(r"\d[*_`]*\sout\sof\s[*_`]*$", re.IGNORECASE)


def is_assumed(text: Text, place: Place) -> bool:
    """Return whether a round number is the base of an estimate ("every 10 % saved") or the end of a scale ("7.3 out of
    10").
    """
    mention, before = place.mention, text.text[place.passage.start : place.mention.start]
    if mention.kind == "percent":
        return mention.digits < 3 and _EVERY.search(before) is not None
    return mention.value in (5, 7, 10, 100) and mention.unit is None and _SCALE.search(before) is not None


_BEFORE = re.compile(
    r"(?:\b(?:above|over|under|below|within|at\s(?:least|most)|(?:more|less|fewer|longer|shorter|later|older|younger|higher"
    r"|lower)\sthan|up\sto|exceeding|beyond|from)|[<>≥≤=])\s?[*_`$€£]*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"[*_`]*\+|[*_`]*\s(?:[a-z]{1,8}\s)?(?:or|and)\s(?:more|less|over|above|under|below|older|younger|longer|later|up)\b",
    re.IGNORECASE,
)


def is_in_query(text: Text, place: Place) -> bool:
    """Return whether a round number is a limit ("above 10,000") that is written in the SQL or code of a result."""
    mention = place.mention
    if mention.kind not in ("number", "percent") or mention.digits > 2 or not mention.value:
        return False
    before = text.text[max(place.passage.start, mention.start - 24) : mention.start]
    if not (_BEFORE.search(before) or _BEHIND.match(text.text, mention.end)):
        return False
    wanted = {
        f"{mention.value:g}",
        f"{mention.value / 100:g}" if mention.kind == "percent" else f"{mention.value:.0f}",
    }
    return any(wanted & _numbers_in(names.table.program) for names in text.labels.tables)


@lru_cache(maxsize=256)
def _numbers_in(program: str) -> frozenset[str]:
    """Return the numbers that are written in SQL or code."""
    return frozenset(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", program))


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


_PER = re.compile(r"\bper\s[*_`]*$", re.IGNORECASE)


def is_base(text: Text, place: Place) -> bool:
    """Return whether a number is the base of a rate: "goals per 90", "deaths per 1,000 accidents"."""
    return _PER.search(text.text, max(0, place.mention.start - 8), place.mention.start) is not None


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
