"""Questions that work on given tables: every one that is offered was read by the analyst itself first."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from engine.models.offline.asks import read
from engine.models.offline.indexing import index_table
from engine.models.offline.schema import Column, Table
from engine.tables import TableProfile

__all__ = ["opening_questions"]


def opening_questions(tables: Sequence[TableProfile], count: int = 3) -> tuple[str, ...]:
    """Up to `count` questions over `tables` that the offline analyst answers, most telling first.

    For the empty screen of a chat, and for an answer that says what could be asked instead.
    """
    own = [profile for profile in tables if not profile.path.startswith("results/")] or list(tables)
    found: list[str] = []
    ordered = sorted(own, key=lambda profile: -len(profile.columns))[:3]
    per_table = [_questions(profile) for profile in ordered]
    for row in range(max(map(len, per_table), default=0)):
        for profile, questions in zip(ordered, per_table, strict=True):
            if len(found) == count:
                return tuple(found)
            told = _told(questions[row], profile, ordered) if row < len(questions) else None
            if told is not None and told not in found:
                found.append(told)
    return tuple(found)


def _told(question: str, profile: TableProfile, tables: Sequence[TableProfile]) -> str:
    """The question, with its table where another would do as well."""
    others = [other for other in tables if other is not profile]
    if profile.name in question or all(read(question, index_table(other)).intent is None for other in others):
        return question
    mark = "?" if question.endswith("?") else ""
    return f"{question.removesuffix('?')} in {PurePosixPath(profile.path).name}{mark}"


@lru_cache(maxsize=64)
def _questions(profile: TableProfile) -> tuple[str, ...]:
    table = index_table(profile)
    works = [question for question in _candidates(table) if read(question, table).intent is not None]
    return tuple(
        dict.fromkeys(
            [*works, f"How many rows does {profile.name} have?", f"Describe the table {profile.name}"]
        )
    )


def spoken(column: Column) -> str:
    """A column's name as one would say it."""
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", column.name).lower())
    return " ".join(words[:-1] if column.unit and len(words) > 1 else words) or column.name


_MONEY = frozenset({"revenue", "sale", "price", "salary", "amount", "profit", "income", "gross"})


def _candidates(table: Table) -> list[str]:
    measures = sorted(
        table.measures, key=lambda c: (not _MONEY & set(c.words), not c.additive, c.distinct < 5, c.missing)
    )[:3]
    labels = sorted(table.categories, key=lambda c: (c.yes is not None, abs(c.distinct - 6)))[:2]
    found = []
    if measures and labels:
        verb = "total" if measures[0].additive else "average"
        found.append(f"What is the {verb} {spoken(measures[0])} by {spoken(labels[0])}?")
    if measures and table.dates:
        found.append(f"Show the average {spoken(measures[0])} over time as a line chart")
    if labels:
        found.append(f"How many rows are there for each {spoken(labels[-1])}?")
    if len(measures) > 1:
        found.append(f"Is there a correlation between {spoken(measures[0])} and {spoken(measures[1])}?")
    if measures:
        found.append(f"What is the median {spoken(measures[-1])}?")
        found.append(f"Histogram of {spoken(measures[0])}")
    if labels:
        found.append(f"What share of the rows does each {spoken(labels[0])} have?")
    return found
