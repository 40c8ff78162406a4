"""Adjectives that compare: “longest”, “more expensive”, with the columns that they may mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.models.offline.columns import Column
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import ADJECTIVES, BUSIEST
from engine.models.offline.words import Token, alike, related

__all__ = ["Adjective", "adjectives_at"]

_LESS_IS_FAST = ("time", "duration", "pace")
_LOW_GENERIC = frozenset({"low", "small", "least", "few"})
_HIGH_GENERIC = frozenset({"high", "large", "big", "great", "most", "more"})
_SIZES = frozenset({"long", "short", "tall", "wide", "deep", "heavy"})
"""Adjectives that go with any number that is named: “the longest range”."""
_SUPERLATIVES = {
    "most": 1,
    "maximum": 1,
    "max": 1,
    "top": 1,
    "least": -1,
    "fewest": -1,
    "minimum": -1,
    "min": -1,
}
_COMPARATIVES = {"more": 1, "fewer": -1, "less": -1}


@dataclass(frozen=True, slots=True)
class Adjective:
    """A comparison of more (1) or less (-1). `columns` is empty for “highest”, which any number may have."""

    degree: Literal["sup", "cmp"]
    direction: int
    columns: tuple[Column, ...] = ()
    counts: bool = False
    """Whether it compares how many rows there are: “most common”."""
    word: str = ""


def adjectives_at(tokens: list[Token], start: int, table: Table) -> Iterator[tuple[int, Adjective]]:
    """Yield the superlatives and comparatives that begin at `start`, with their ends."""
    word = tokens[start].word
    following = tokens[start + 1].word if start + 1 < len(tokens) else ""
    for degree, words in (("sup", _SUPERLATIVES), ("cmp", _COMPARATIVES)):
        if word in words and not (word == "top" and following.endswith("s")):
            yield start + 1, Adjective(degree, words[word], word=word)  # type: ignore[arg-type]
    if word == "peak":
        yield start + 1, Adjective("sup", 1, counts=True, word=word)
    for degree, more, less in (
        ("sup", ("most", "best", "highest"), ("least", "worst", "lowest")),
        ("cmp", ("more",), ("less",)),
    ):
        if word in (*more, *less) and following:
            sign = 1 if word in more else -1
            for one in _meant(following, degree, table):  # type: ignore[arg-type]
                yield (
                    start + 2,
                    Adjective(
                        one.degree, sign * one.direction, one.columns, one.counts, f"{word} {following}"
                    ),
                )
    for ending, degree in (("est", "sup"), ("er", "cmp")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            for base in _bases(word[: -len(ending)]):
                for one in _meant(base, degree, table):  # type: ignore[arg-type]
                    yield start + 1, Adjective(one.degree, one.direction, one.columns, one.counts, word)


def _bases(stem: str) -> set[str]:
    found = {stem, stem + "e"}
    if stem.endswith("i"):
        found |= {stem[:-1] + "y", stem[:-1]}
    if len(stem) > 2 and stem[-1] == stem[-2]:
        found.add(stem[:-1])
    return found


def _meant(base: str, degree: Literal["sup", "cmp"], table: Table) -> Iterator[Adjective]:
    if base in BUSIEST:
        yield Adjective(degree, 1, counts=True)
        return
    if base in _HIGH_GENERIC | _LOW_GENERIC:
        yield Adjective(degree, -1 if base in _LOW_GENERIC else 1)
    for (more, less), concepts in ADJECTIVES.items():
        if base not in (more, less):
            continue
        columns = _columns(concepts.split(), table)
        sign = 1 if base == more else -1
        slow = [c for c in columns if more == "fast" and set(c.words) & set(_LESS_IS_FAST)]
        if slow:
            yield Adjective(degree, -sign, tuple(slow))
            columns = [c for c in columns if c not in slow]
        if columns:
            yield Adjective(degree, sign, tuple(columns))
        elif base in _SIZES:
            yield Adjective(degree, sign)
    past = base.endswith("ed")  # “most downloaded” compares downloads
    named = [
        c
        for c in table.columns
        if c.measure and (base in c.words or (past and any(alike(base, word) for word in c.words)))
    ]
    if named and degree == "sup":
        yield Adjective(degree, 1, tuple(named))


def _columns(concepts: list[str], table: Table) -> list[Column]:
    """The columns of the first concept that any column has."""
    able = [c for c in table.columns if c.measure or c.role == "date" or c.year]
    found: list[Column] = []
    for column in able:
        if any(related(concept, word) == 0 for concept in concepts for word in column.words):
            found.append(column)
    exact = [column for column in found if len(column.words) == 1]
    return exact or found
