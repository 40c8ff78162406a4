"""The analyst's general English vocabulary, from `words.yaml`. It does not depend on any table."""

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

import yaml

__all__ = [
    "ACTS",
    "ADDS",
    "ADJECTIVES",
    "AGAIN",
    "ALIKE_UNITS",
    "AVERAGES",
    "BUSIEST",
    "COUNTRIES",
    "FAILED",
    "FILLERS",
    "GENERIC_NOUNS",
    "GRAINS",
    "GRAIN_ADJECTIVES",
    "HAPPENED",
    "KINDS",
    "MONTHS",
    "NUMBER_WORDS",
    "OBJECTS_BEGIN",
    "ORDINALS",
    "PEOPLE",
    "ROW_NOUNS",
    "SCALED_MONEY",
    "SHORT_NAMES",
    "SHORT_WORDS",
    "SUCCEEDED",
    "SYNONYMS",
    "UNITS",
    "VALUE_SYNONYMS",
    "VERBS",
    "WEEKDAYS",
    "counts_things",
    "words",
]

_SECTIONS: dict[str, str] = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))


def words(section: str) -> frozenset[str]:
    """Return the words of a section."""
    return frozenset(_SECTIONS[section].split())


def counts_things(name: Sequence[str]) -> bool:
    """Return whether a name is a plural of something that is added up: `red_cards`, but not `has_cards`."""
    return (
        bool(name)
        and name[-1] in ADDS
        and name[-1].endswith("s")
        and name[0] not in ("is", "has", "was", "did")
    )


def _lines(section: str) -> list[list[str]]:
    """Return the lines of a section, each split at its bars."""
    return [[part.strip() for part in line.split("|")] for line in _SECTIONS[section].splitlines()]


def _pairs(section: str) -> dict[str, str]:
    """Return the lines of a section, each as a word and its meaning."""
    return dict(line.split(maxsplit=1) for line in _SECTIONS[section].splitlines())


SYNONYMS = tuple(frozenset(line.split()) for (line,) in _lines("synonyms"))
SHORT_WORDS = MappingProxyType(_pairs("abbreviations"))
_CURRENCIES = words("currencies")
SCALED_MONEY = MappingProxyType({
    written: size
    for size, shorts in ((1e3, ("k", "t")), (1e6, ("m", "mn", "mio")), (1e9, ("b", "bn")))
    for short in shorts
    for currency in _CURRENCIES
    for written in (f"{short}{currency}", f"{currency}{short}")
})  # fmt: skip
"""Units such as `musd` and `eurk`, each with its size in units of the currency."""
ALIKE_UNITS = tuple(frozenset(line.split()) for (line,) in _lines("alike units"))
UNITS = words("units") | _CURRENCIES | SCALED_MONEY.keys()
ADDS, AVERAGES = words("adds"), words("averages")
ROW_NOUNS, PEOPLE, GENERIC_NOUNS = words("row nouns"), words("people"), words("generic nouns")
KINDS = tuple(
    (int(least), frozenset(names.split()), nouns.split()) for least, names, nouns in _lines("kinds")
)
"""Kinds of rows, each as a number, words and nouns: if a table's columns contain that many of the words, the nouns mean
its rows.
"""
VALUE_SYNONYMS = tuple(frozenset(line.split()) for (line,) in _lines("same values"))
NUMBER_WORDS = MappingProxyType({word: int(number) for word, number in _pairs("numbers").items()})
ORDINALS = MappingProxyType({word: int(number) for word, number in _pairs("ordinals").items()})
ADJECTIVES = tuple(
    (pair.split()[0], pair.split()[1], tuple(concepts.split())) for pair, concepts in _lines("adjectives")
)
"""Pairs of adjectives, one for more and one for less, with words in the names of columns that they compare."""
VERBS = MappingProxyType({verb: concepts.split() for verb, concepts in _lines("verbs")})
COUNTRIES = MappingProxyType({word: tuple(names) for word, *names in _lines("countries")})
ACTS = tuple(
    (frozenset(nouns.split()), frozenset(verbs.split()), frozenset(" ".join(objects).split()))
    for nouns, verbs, *objects in _lines("acts")
)
"""Nouns for rows, the verbs that are true of every such row, and nouns for the one thing that each row is about."""
OBJECTS_BEGIN = words("objects begin")
"""Words with which the object of a verb begins."""
FAILED, SUCCEEDED = words("failed"), words("succeeded")
BUSIEST, FILLERS, HAPPENED, AGAIN = words("busiest"), words("fillers"), words("happened"), words("again")
SHORT_NAMES = MappingProxyType({short: tuple(name.split()) for short, name in _pairs("short names").items()})
GRAINS, GRAIN_ADJECTIVES = MappingProxyType(_pairs("grains")), words("grain adjectives")
_MONTHS = list(enumerate(_SECTIONS["months"].split(), 1))
MONTHS = MappingProxyType({name: n for n, month in _MONTHS for name in (month, month[:3])} | {"sept": 9})
WEEKDAYS = MappingProxyType({day: n for n, day in enumerate(_SECTIONS["weekdays"].split(), 1)})
