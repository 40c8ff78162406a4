"""Comparing adjectives (“longest”, “more expensive”) and the columns that they may mean."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from engine.models.offline.columns import Column
from engine.models.offline.lengths import is_result, results
from engine.models.offline.people import births
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import ADJECTIVES, BUSIEST, words
from engine.models.offline.words import Token, alike, base_forms, related
from events.late_dataclass import dataclass

__all__ = ["POLARITY", "Adjective", "adjectives_at"]

_LESS_IS_FAST = ("time", "duration", "pace")
_LOW_GENERIC = frozenset({"low", "small", "least", "few"})
_HIGH_GENERIC = frozenset({"high", "large", "big", "great", "most", "more"})
_SIZES = frozenset({"long", "short", "tall", "wide", "deep", "heavy"})
"""Adjectives that can describe any number column that the question mentions: “the longest range”."""
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
POLARITY = {"best": 1, "worst": -1}
"""Superlatives whose direction depends on the measure: the worst delay is the longest."""
_TIMES = frozenset(
    {"min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "s", "sec", "secs", "seconds"}
)
"""Units that show that a column's numbers are durations, regardless of its name."""
_WORSE, _BETTER = words("worse"), words("better")


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective that means more (`direction` 1) or less (-1). `columns` is empty for words such as “highest”, which
    fit any number.
    """

    degree: Literal["sup", "cmp", "adj"]
    direction: int
    columns: tuple[Column, ...] = ()
    counts: bool = False
    """Whether it compares numbers of rows: “most common”."""
    word: str = ""
    able: tuple[Column, ...] = ()
    """The columns that it can describe if the question mentions them too; empty means any column."""

    def fits(self, column: Column) -> bool:
        """Return whether the adjective can describe a named column: “longest departure delay”."""
        return (not self.able or column in self.able) and len(self.signs(column)) == 1

    def signs(self, column: Column | None) -> tuple[int, ...]:
        """Return the directions in which the adjective may rank a column; both directions if it is unclear which is
        better."""
        if self.word not in POLARITY:
            return (self.direction,)
        if column is not None and is_result(column):
            return (-self.direction,)
        said = {form for word in column.words for form in base_forms(word)} if column else set()
        if said & _WORSE:
            return (-self.direction,)
        return (self.direction,) if said & _BETTER else (self.direction, -self.direction)


def adjectives_at(tokens: list[Token], start: int, table: Table) -> Iterator[tuple[int, Adjective]]:
    """Yield the superlatives and comparatives that begin at `start`, each with the position where it ends."""
    word = tokens[start].word
    following = tokens[start + 1].word if start + 1 < len(tokens) else ""
    for degree, known in (("sup", _SUPERLATIVES), ("cmp", _COMPARATIVES)):
        if word in known and not (word == "top" and following.endswith("s")):
            yield start + 1, Adjective(degree, known[word], word=word)  # type: ignore[arg-type]
    if word in POLARITY and not (word == "best" and following == "selling"):
        yield start + 1, Adjective("sup", POLARITY[word], word=word)
    if word == "peak":
        yield start + 1, Adjective("sup", 1, counts=True, word=word)
    if following:
        yield from _with_more(word, following, start, table)
    for one in _meant(word, "adj", table):
        if one.columns:
            yield start + 1, replace(one, word=word)
    for ending, degree in (("est", "sup"), ("er", "cmp")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            for base in _bases(word[: -len(ending)]):
                for one in _meant(base, degree, table):  # type: ignore[arg-type]
                    yield (
                        start + 1,
                        Adjective(one.degree, one.direction, one.columns, one.counts, word, one.able),
                    )


def _with_more(word: str, following: str, start: int, table: Table) -> Iterator[tuple[int, Adjective]]:
    """Yield superlatives and comparatives of two words, such as “most expensive” and “less frequent”."""
    for degree, more, less in (
        ("sup", ("most", "best", "highest"), ("least", "worst", "lowest")),
        ("cmp", ("more",), ("less",)),
    ):
        if word not in (*more, *less):
            continue
        sign = 1 if word in more else -1
        of_column: Literal["sup", "cmp"] = "cmp" if word in POLARITY else degree  # type: ignore[assignment]
        for one in _meant(following, of_column, table):  # “worst delay” depends on the column
            said = f"{word} {following}"
            made = Adjective(degree, sign * one.direction, one.columns, one.counts, said, one.able)  # type: ignore[arg-type]
            yield start + 2, made


def _bases(stem: str) -> set[str]:
    found = {stem, stem + "e"}
    if stem.endswith("i"):
        found |= {stem[:-1] + "y", stem[:-1]}
    if len(stem) > 2 and stem[-1] == stem[-2]:
        found.add(stem[:-1])
    return found


def _meant(base: str, degree: Literal["sup", "cmp", "adj"], table: Table) -> Iterator[Adjective]:
    if base in BUSIEST:
        yield Adjective(degree, 1, counts=True)
        return
    if base in _HIGH_GENERIC | _LOW_GENERIC:
        yield Adjective(degree, -1 if base in _LOW_GENERIC else 1)
    for more, less, concepts in ADJECTIVES:
        if base not in (more, less):
            continue
        if degree == "sup" and base in ("old", "young") and (born := _born(table)):
            if "age" in concepts:  # the oldest person has the earliest date of birth
                yield Adjective(degree, -1 if base == more else 1, born, able=born)
            continue
        able = _columns(concepts, table)
        able += [table.span] if table.span is not None and "duration" in concepts else []
        sign = 1 if base == more else -1
        timed = (c for c in table.columns if c.measure and (c.unit in _TIMES or c.lasting))
        lengths = [c for c in timed if c not in able]
        lengths = lengths if "duration" in concepts else []
        slow = [c for c in able if more == "fast" and set(c.words) & set(_LESS_IS_FAST)]
        slow, lengths = (slow or lengths, []) if more == "fast" else (slow, lengths)
        if more == "fast" and (best := results(table.columns)):  # the fastest runner has the shortest time
            yield Adjective(degree, -sign, tuple(best), able=tuple(c for c in table.columns if c.lasting))
            continue
        if slow:
            yield Adjective(degree, -sign, _main(slow), able=tuple(slow))
            able = [c for c in able if c not in slow]
        if able or lengths:
            late = all("delay" in c.words for c in able)  # the longest crossing is not the latest one
            main = _main([*able, *lengths] if late else able)
            yield Adjective(degree, sign, main, able=(*able, *lengths))
        elif base in _SIZES:
            yield Adjective(degree, sign)
    if degree == "sup" and (named := _named(base, table)):
        yield Adjective(degree, 1, _main(named), able=tuple(named))


def _named(base: str, table: Table) -> list[Column]:
    """Return the columns of numbers that the word after “most” names: “most downloaded” compares downloads."""
    done = base.endswith("ed")

    def names(column: Column) -> bool:
        return base in column.words or (done and any(alike(base, word) for word in column.words))

    return [column for column in table.columns if column.measure and names(column)]


def _born(table: Table) -> tuple[Column, ...]:
    """Return the columns with dates or years of birth, if no column contains ages."""
    aged = any(c.measure and "age" in c.words for c in table.columns)
    return () if aged else tuple(births(table))


def _columns(concepts: tuple[str, ...], table: Table) -> list[Column]:
    """Return the columns that have one of the concepts in their names; date columns only for concepts of time."""
    timed = bool({"date", "year"} & set(concepts))
    able = [c for c in table.columns if c.measure or (timed and (c.role == "date" or c.year))]
    found = [
        c
        for c in able
        if any(related(concept, word) == 0 for concept in concepts for word in (*c.words, *c.spelled))
    ]
    return [c for c in found if "percentile" not in c.spelled] or found


def _main(columns: list[Column]) -> tuple[Column, ...]:
    """Return the columns with the year in which something began; if there are none, the columns whose name has only one
    word besides “number”, “total” and the like; else all `columns`.
    """
    made = [c for c in columns if c.year and _BEGINNINGS & set(c.words)]
    exact = made or [c for c in columns if len(set(c.words) - _COUNT_WORDS) == 1]
    return tuple(exact or columns)


_BEGINNINGS = frozenset({"built", "birth", "founded", "release", "released", "made", "established", "born"})
_COUNT_WORDS = frozenset({"number", "of", "count", "total", "num"})
