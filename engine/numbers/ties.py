"""Detects numbers that depend on another number: as a part of it, in contrast to it, or in brackets after it."""

import re

from engine.numbers.connectives import AGAINST, OF
from engine.numbers.places import EARLIER, Place

__all__ = ["is_earlier", "loosely", "part_of", "set_against"]


_REACH = 80
"""The number of characters before a number that are searched."""


def loosely(text: str, place: Place) -> bool:
    """Return whether a number belongs to another number, as in "811 of 6,240" or "from 4 to 6", or is in brackets. Such
    a number is unlikely to be in a column that only another clause mentions.
    """
    behind = text[place.mention.end : place.mention.end + 14]
    before = text[max(place.passage.start, place.mention.start - 14) : place.mention.start]
    if re.match(r"\s*(?:\w+\s)?(?:out\s)?of\s(?:the\s)?[$€£*]*\d", behind):
        return True
    if re.search(r"\d[\s\w]*\bof\s(?:the\s|all\s)?[*$€£]*$|\bbetween\s$|\band\s$|\bto\s$|[(]\s?$", before):
        return True
    start = text.rfind("(", place.passage.start, place.mention.start)
    return start >= 0 and ")" not in text[start : place.mention.start]


def set_against(text: str, place: Place) -> bool:
    """Return whether a number is compared with the one before it: "31 of 1,843", "8.0% compared with 7.8%"."""
    before = text[_near(place) : place.mention.start]
    return OF.search(before) is not None or AGAINST.search(before) is not None


def part_of(text: str, place: Place) -> bool:
    """Return whether a number is a whole that follows its part: 11,095 in "1,105 of 11,095 customers churned", where
    "churned" is about the part.
    """
    return OF.search(text, _near(place), place.mention.start) is not None


_FROM = re.compile(
    r"\b(?:from|instead\sof|rather\sthan)\s(?:about\s|around\s|roughly\s)?[*_`$€£(]*$", re.IGNORECASE
)


def is_earlier(text: str, place: Place) -> bool:
    """Return whether the text says that a number is out of date: "before", "from 412 to 431", "431 instead of 412"."""
    return (
        bool(place.own_words & EARLIER) or _FROM.search(text, _near(place), place.mention.start) is not None
    )


def _near(place: Place) -> int:
    """Return where the words right before a number start. Only these words, and not the whole passage, can connect it
    to another number.
    """
    return max(place.passage.start, place.mention.start - _REACH)
