"""Finds names and measures in a clause that are not in any result. The clause's numbers are then not about the results.
Pure.

"The profit of Atlantis was 412,300" matches no cell of a table without Atlantis, even if another row has 412,300.
"412,300 visitors" matches no cell of a table of orders.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.numbers.general_words import ALWAYS_CAPITAL, GENERAL, GENERIC_COLUMNS, NO_NOUN
from engine.numbers.label_forms import MONTHS, WEAK
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.units import SCALES, unit_word
from engine.numbers.words import forms, stem, text_words

__all__ = ["names_other_measure", "names_other_period", "names_stranger"]

_NAME = r"((?:[A-Z][a-zà-ÿ]+(?:\s[A-Z][A-Za-zà-ÿ]+)+|[A-ZÀ-Þ][a-zà-ÿ]{2,}|[A-Z]{3,}))"
_AFTER = re.compile(rf"\b(?:[Oo]f|[Ii]n|[Ff]or|[Aa]t|[Ff]rom|[Bb]y|[Tt]he)\s+(?:the\s+)?{_NAME}")
_SUBJECT = re.compile(rf"(?:^|[.;:,]\s|\band\s|\bwhile\s|\bbut\s)[*_]*{_NAME}[*_]*(?:['’]s)?\s[a-z]")


_LABEL = re.compile(rf"^[\s\-*+•>\d.)_]*{_NAME}[*_]*(?::|\s[–—-]\s)")
_CODE = re.compile(r"\b[A-Z][A-Za-z]*-?\d[\w-]*\b")
_NO_CODE = re.compile(r"(?:[QHWP]|FY|CY|CO|R|F|T|V)\d{1,4}", re.IGNORECASE)
_NUMBERED = re.compile(r"\b([A-Za-z]{3,})\s#?(\d{1,6})\b")


def names_stranger(text: Text, place: Place) -> bool:
    """Return whether a sentence, up to the end of a number's clause, names something that is not in the results."""
    return text.english and _has_stranger(
        text, (place.passage.start, place.passage.clause(place.mention.start)[1])
    )


def _has_stranger(text: Text, span: tuple[int, int]) -> bool:
    start = max(0, span[0] - 2)  # includes the end of the previous sentence
    part = text.text[start : span[1]]
    if _has_code(text, part):
        return True
    for found in (*_AFTER.finditer(part), *_SUBJECT.finditer(part), *_LABEL.finditer(part)):
        begin, end = start + found.start(1), start + found.end(1)
        known = any(one.start < end and begin < one.end for one in text.named)
        words = found[1].split()
        if not known and not any(_is_general(word) or stem(word) in text.vocabulary for word in words):
            return True
    return _names_group(text, part)


def _has_code(text: Text, part: str) -> bool:
    """Return whether the text mentions a code or numbered thing that is in no result: "A9" or "Line 7", if there are
    only "A7" and "Line 3".
    """
    codes = (found[0] for found in _CODE.finditer(part) if not _NO_CODE.fullmatch(found[0]))
    if any(not any(piece.form in text.vocabulary for piece in text_words(code)) for code in codes):
        return True
    return any(
        (kind := stem(found[1])) in text.labels.numbered and found[2] not in text.labels.numbered[kind]
        for found in _NUMBERED.finditer(part)
    )


_GROUP = re.compile(
    r"^\W*(?:[Tt]he|[Oo]ur)\s((?:[a-zà-ÿ]+\s){1,3}?)(?:has|have|had|brings?|brought|made|makes|sold|sells|earned|saw"
    r"|recorded|reached|contributed|contributes|generated|generates|accounts?|accounted|spent|lost|gained)\s"
)


def _names_group(text: Text, part: str) -> bool:
    """Return whether the subject is a group that is not in any result: "the public sector brings"."""
    found = _GROUP.search(part)
    words = found[1].split() if found else []
    return bool(words) and not any(_is_general(word) or stem(word) in text.vocabulary for word in words)


_PERIODS = (
    frozenset(stem(month) for month in MONTHS),
    frozenset(f"q{number}" for number in range(1, 5)),
    frozenset(map(str, range(1900, 2100))),
    forms("monday tuesday wednesday thursday friday saturday sunday"),
    forms("spring summer autumn fall winter"),
)


def names_other_period(text: Text, place: Place, names: TableNames) -> bool:
    """Return whether a sentence mentions a month, weekday or other period that is not in a result, although the result
    has other periods of this kind."""
    span = place.passage.start, place.passage.clause(place.mention.start)[1]
    said = {
        word.form
        for word in text.words
        if span[0] <= word.start < span[1] and (word.form != "may" or text.text[word.start] == "M")
    }
    clocks = set(_CLOCK.findall(text.text, *span))
    if clocks and names.clocks and not clocks & names.clocks:
        return True
    return any(said & kind and names.periods & kind and not said & kind & names.periods for kind in _PERIODS)


_CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b")


@lru_cache(maxsize=5_000)
def _is_general(word: str) -> bool:
    form = stem(word)
    return form in ALWAYS_CAPITAL | WEAK | GENERAL or word.casefold() in NO_NOUN or bool(unit_word(word))


_WORDS = r"(?:[a-zà-ÿ][\w'’]*(?:[ -](?=[a-zà-ÿ]))?){1,4}"
_BEHIND = re.compile(rf"[*_`]*[ -]({_WORDS})", re.IGNORECASE)
_IN = re.compile(rf"[*_`]*\s(?:in|worth\sof)\s({_WORDS})")
_UNIT_OF = re.compile(rf"[*_`]*\s?[\w°/²³%€$£]*\sof\s(?:the\s|its\s|their\s)?({_WORDS})", re.IGNORECASE)
_OF = re.compile(rf"\b(?:an?|the|with|its|their|and|of|has|had)\s({_WORDS})\sof\s[^\w.;]*$", re.IGNORECASE)
_SUBJECT_IS = re.compile(
    rf"^\W*(?:(?:the|its|their|our|an?)\s)?({_WORDS})\s(?:is|was|are|were|stood\sat|stands\sat|came\sto|comes\sto"
    r"|reached|amounts\sto|amounted\sto)\s(?:about|roughly|only|just|around|nearly|almost|over)?[^\w.;]*$",
    re.IGNORECASE,
)
_SUBJECT_OF = re.compile(
    rf"^\W*(?:(?:the|its|their|an?)\s)?({_WORDS})\s(?:of|for|in|at|on)\s.{{2,60}}\s(?:is|was|are|were|stood\sat|stands\sat"
    r"|came\sto|comes\sto|reached|amounts\sto|amounted\sto)\s(?:about|roughly|only|just|around|nearly|almost|over)?"
    r"[^\w.;]*$",
    re.IGNORECASE | re.DOTALL,
)


def names_other_measure(text: Text, place: Place, names: TableNames, column: int) -> bool:
    """Return whether the words at a number say that it counts or measures another column, or a thing in no result."""
    if set(names.column_words[column]) <= GENERIC_COLUMNS or not text.english:
        return False
    own = frozenset(names.column_words[column])
    others = frozenset[str]().union(*names.column_words) - own - names.topic
    counted = list(_counted(text, place))
    measured = [*counted, *_measured(text, place)]
    return any(_unknown(words, text.vocabulary) for words in measured) or any(
        _another(words, own, others) for words in counted
    )


def _another(words: list[str], own: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether words mention another column, but not this one."""
    said = {stem(word) for word in words} - GENERAL
    return bool(said & others) and not said & own


def _counted(text: Text, place: Place) -> Iterator[list[str]]:
    """Yield the words right after a number: "412 new orders"."""
    mention, end = place.mention, place.passage.clause(place.mention.start)[1]
    if mention.unit is None and (behind := _BEHIND.match(text.text, mention.end, max(end, mention.end + 1))):
        yield _noun_phrase(behind[1])
    money = mention.unit is not None and mention.unit[0].startswith("money")
    if money and (behind := _IN.match(text.text, mention.end, max(end, mention.end + 1))):
        yield _noun_phrase(behind[1])
    if mention.unit is not None and (
        behind := _UNIT_OF.match(text.text, mention.end, max(end, mention.end + 1))
    ):
        yield _noun_phrase(behind[1])


def _measured(text: Text, place: Place) -> Iterator[list[str]]:
    """Yield the words for the thing that a number measures: "the … of North is", "a … of", "… was"."""
    before = text.text[place.passage.clause(place.mention.start)[0] : place.mention.start]
    for found in (_OF.search(before), _SUBJECT_OF.search(before), _SUBJECT_IS.search(before)):
        if found is not None:
            yield _noun_phrase(re.split(r"['’]s?\s", found[1])[-1])


def _noun_phrase(text: str) -> list[str]:
    """Return the words of a noun phrase in lower case, up to the first word that is not part of it."""
    words: list[str] = []
    for word in re.findall(r"[^\W\d_]+(?:['’][a-z]+)?", text):
        if word.casefold() in NO_NOUN or stem(word) in WEAK or (words and word.endswith("ed")):
            break
        words.append(word.casefold())
    return words


def _unknown(words: list[str], known: frozenset[str]) -> bool:
    telling = [
        word
        for word in words
        if not (stem(word) in GENERAL or unit_word(word) or word in SCALES or word.endswith("ed"))
    ]
    return bool(telling) and not any(_is_known(stem(word), known) for word in telling)


@lru_cache(maxsize=20_000)
def _is_known(form: str, known: frozenset[str]) -> bool:
    """Return whether a word is in the results or is related to a word that is: "profitability" to "profit"."""
    if form in known:
        return True
    return any(
        len(_common(form, other)) >= max(4, (min(len(form), len(other)) * 4 + 4) // 5) for other in known
    )


def _common(one: str, other: str) -> str:
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return one[:at]
