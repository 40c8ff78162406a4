"""Names in a clause that no result has: then a number there is not said of a row of the results. Pure.

"The profit of Atlantis was 412,300" is no cell of a table that has no Atlantis, whoever made 412,300.
"""

import re
from functools import lru_cache

from engine.numbers.label_forms import WEAK
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.words import forms, stem, text_words

__all__ = ["names_stranger"]

_NAME = r"([A-Z][a-zà-ÿ]{3,}(?:\s[A-Z][a-zà-ÿ]+)*)"
_AFTER = re.compile(rf"\b(?:[Oo]f|[Ii]n|[Ff]or|[Aa]t|[Ff]rom|[Bb]y)\s+(?:the\s+)?{_NAME}")
_SUBJECT = re.compile(
    rf"(?:^|[.;:,]\s|\band\s|\bwhile\s|\bbut\s)[*_]*{_NAME}[*_]*\s(?:made|sold|earned|had|has|brought|lost|gained|grew|fell"
    r"|rose|reached|recorded|generated|contributed|accounts|accounted|spent|leads|led|is|was)\b"
)
_PLAIN = forms(
    "total overall average mean median altogether everything this that these those there then here they what "
    "which nothing none both each every other others rest result value number share combined together first "
    "second third last next today yesterday january february march april may june july august september "
    "october november december monday tuesday wednesday thursday friday saturday sunday spring summer autumn "
    "winter question table file chart query"
)
"""Words that begin with a capital letter at the start of a sentence, or always, and name no row."""


def names_stranger(text: Text, place: Place) -> bool:
    """Return whether the clause of a number names something that neither the results nor the question have."""
    return any(_has_stranger(text, span) for span in place.passage.nearest(place.mention.start))


def _has_stranger(text: Text, span: tuple[int, int]) -> bool:
    start = max(0, span[0] - 2)  # what ends the sentence before
    part = text.text[start : span[1]]
    for found in (*_AFTER.finditer(part), *_SUBJECT.finditer(part)):
        begin, end = start + found.start(1), start + found.end(1)
        known = any(one.start < end and begin < one.end for one in text.named)
        if not known and not any(_is_plain(word) or _is_known(text, word) for word in found[1].split()):
            return True
    return False


@lru_cache(maxsize=5_000)
def _is_plain(word: str) -> bool:
    return stem(word) in _PLAIN | WEAK


def _is_known(text: Text, word: str) -> bool:
    """Whether a word is in the question, or in the name of a column or a result."""
    form = stem(word)
    if form in text.question_words:
        return True
    return any(
        form in words
        for names in text.labels.tables
        for words in (*names.column_words, _words(names.table.name), _words(names.table.title))
    )


@lru_cache(maxsize=5_000)
def _words(name: str) -> frozenset[str]:
    return frozenset(word.form for word in text_words(name.replace("_", " ")))
