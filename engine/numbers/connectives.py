"""The words that connect a name to a number, and the positions of names around a number."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from engine.numbers.labels import Named
from engine.numbers.mention import Mention

__all__ = [
    "AGAINST",
    "BEHIND",
    "BETWEEN",
    "BRACKETED",
    "CLOSED",
    "FOLLOWS",
    "FROM",
    "FRONTED",
    "OF",
    "OF_NEXT",
    "ON_AVERAGE",
    "OPENED",
    "PART_OF",
    "PLAIN_GAP",
    "RESPECTIVELY",
    "RIGHT_BEFORE",
    "RIGHT_BEHIND",
    "THAN",
    "TO",
    "VERB_BEFORE",
    "adjoins",
    "begins_within",
    "closest_labels",
    "distinct",
    "is_left_out",
    "names_in",
    "words_by_column",
]

BEHIND = re.compile(
    r"[\s*_`)%€$£]*(?:\([^()]{0,40}\)\s*)?(?:in\sthe\s(?=(?:week|month|quarter|year|season)\sof\s))?"
    r"(?:(?!(?:and|but|or|while|than|versus|against|then)\b)[a-z°]+[²³]?(?:/[a-z]+)?[*_`]*\s+){0,2}?"
    r"(?:in|for|from|at|by|of|on|during|under|to|with|pour|en|im|für|bei|von|de|por|para|dans|chez|aus)\s+"
    r"(?:(?:the|both|all|der|die|das|la|le|les|el)\s+)?(?:[\w'’]+\s+\()?[*_`\"“]*$",
    re.IGNORECASE,
)
_ADJOINING = re.compile(
    r"[\s*_`%-]*(?:(?!(?:over|under|of|in|from|to|above|below|per|for|than|by|at|on|and|or|with|the|is|was|are|were|a|an|each|every)\b)"
    r"[a-z]+[\s-])?"
)
_WERE = re.compile(r"\s(?:were|was|are|is|remain(?:ed)?|(?:have|has|had)\sbeen)\s(?:still\s|only\s|never\s)?")
RIGHT_BEHIND = re.compile(r"[*_`%]*\s?[*_`(]*")
RIGHT_BEFORE = re.compile(
    r"[*_`)]*(?:['’]s?\s|(?:['’]s)?\s(?:of|was|is|were|are|=|at)\s)[*_`$€£¥₹]*", re.IGNORECASE
)
PLAIN_GAP = re.compile(r"[*_`]*\s[*_`]*")
BETWEEN = re.compile(r"\b(?:between|from)\s(?:the\s)?[*_`]*$", re.IGNORECASE)
THAN = re.compile(
    r"\b(?:than|below|above|behind|ahead\sof|(?:that|those)\sof|of\swhat|times|as|to|against|versus)\s(?:the\s)?[*_`]*$"
)
FOLLOWS = re.compile(r"\b(?:follows|trails|trailed|trailing|behind)\s(?:the\s)?[*_`]*$", re.IGNORECASE)
"""Words before the name of the row that comes just above the subject's row: "Sales follows Legal at 412"."""
OPENED = re.compile(r"[*_`]*(?:\s?\(|\s?=\s?|\s(?:of\s)?)[*_`$€£]*")
OF_NEXT = re.compile(r"[*_`]*(?:\s(?:of|is|was)\s|\s?=\s?|\s)[*_`$€£]*\d")
FROM = re.compile(r"\bfrom\s[*_`$€£~]*$", re.IGNORECASE)
TO = re.compile(r"[^.;,()\d]{0,30}(?:\d{4}\s)?to\s(?:just\s|about\s|around\s)?[*_`$€£~]*", re.IGNORECASE)
FRONTED = re.compile(r"\W*(?:with|at|on|having|thanks\sto|despite|of)\s", re.IGNORECASE)
PART_OF = re.compile(r"[*_`]*\s(?:out\s)?of\s(?:the\s|their\s|its\s|all\s)?[*_`$€£]*")
VERB_BEFORE = re.compile(
    r"\s(?:(?:about|around|roughly|nearly|almost|over|only|just|a total of|some)\s)?[*_`$€£]*"
)
BRACKETED = re.compile(r"[*_`%]*\s?(?:(?:per\s)?[a-z°/]+[*_`]*\s){0,3}[*_`]*\((?:[^()]{1,30},\s)?[*_`]*")
CLOSED = re.compile(r"(?:[*_`]|\s?°[CF])*(?:,[^()]{0,30})?\)")
"""The end of a name in brackets after a number and its unit: "8.1 days (Oncology)", "12 hours (Ni-Al, 60 °C)"."""
OF = re.compile(r"[\d%kMm][*_`]*\s(?:out\s)?of\s(?:the\s|all\s|its\s|their\s)?[*_`$€£]*$")
AGAINST = re.compile(
    r"\b(?:against|versus|vs\.?|compared\s(?:with|to)|rather\sthan|up\sfrom|down\sfrom|instead\sof|and\snot)\s"
    r"(?:the\s|only\s|just\s)?[*_`$€£(]*$",
    re.IGNORECASE,
)
ON_AVERAGE = re.compile(r"[\s*_`%]*(?:[a-z]+\s)?(?:on|in)\s(?:average|total|sum|all)", re.IGNORECASE)
RESPECTIVELY = re.compile(r"\brespectively\b|\bin that order\b", re.IGNORECASE)


_WITHOUT = re.compile(
    r"\b(?:excluding|without|except(?:\s+for)?|unlike|(?:apart|aside)\s+from|other\s+than|outside|leaving\s+out|ignoring"
    r"|omitting|not\s+counting|disregarding|besides|(?:all|every\w*|any\w*|none)\s+but)\s+(?:the\s+)?(?:[a-z]+\s+)?[*_`\"“]*$",
    re.IGNORECASE,
)


def is_left_out(text: str, start: int) -> bool:
    """Return whether the text excludes the name that begins at `start`: "excluding North", "unlike North"."""
    return _WITHOUT.search(text, max(0, start - 40), start) is not None


def names_in(found: Sequence[Named], span: tuple[int, int]) -> list[Named]:
    """Return the names that begin in a span."""
    return [one for one in found if span[0] <= one.start < span[1]]


def begins_within(mention: Mention, one: Named) -> bool:
    """Return whether a name begins within a number."""
    return mention.start <= one.start < mention.end


def closest_labels(mention: Mention, inside: Sequence[Named]) -> frozenset[str]:
    """Return the closest label before the number; if there is none, the closest one after it. A plural can name several
    labels at once.
    """
    before = [one for one in inside if one.start < mention.start]
    closest = before[-1] if before else inside[0]
    return frozenset(one.label for one in inside if one.start == closest.start)


def distinct(labels: Iterable[str]) -> list[str]:
    """Return labels in their order, without duplicates."""
    return list(dict.fromkeys(labels))


def words_by_column(named: Sequence[Named], only: frozenset[int] | None = None) -> Mapping[int, int]:
    """Return how many words of each column are among the names."""
    words: dict[int, set[int]] = defaultdict(set)
    for one in named:
        if only is None or one.column in only:
            words[one.column].add(one.start)
    return {column: len(starts) for column, starts in words.items()}


def adjoins(text: str, end: int, start: int, *, named: bool = False) -> bool:
    """Return whether a word directly follows a number ("412 new orders") or its noun ("412 orders were late")."""
    between = text[end:start]
    if len(between) >= 24 or "\n" in between:
        return False
    return bool(_ADJOINING.fullmatch(between) or (named and _WERE.fullmatch(between)))
