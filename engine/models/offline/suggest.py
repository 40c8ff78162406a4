"""Suggests questions that work on given tables; the analyst reads each one before it is offered."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from engine.models.offline.columns import Column
from engine.models.offline.form import FormError
from engine.models.offline.joining import scopes, table_of
from engine.models.offline.schema import Table
from engine.models.offline.source_sql import sql_at_source
from engine.models.offline.sql import query
from engine.models.offline.understand import understand
from engine.workspace.table_facts import TableProfile

__all__ = ["opening_questions"]

_MANY = 12
"""If there are more tables than this, each suggestion names its file, because checking that it has no other meaning in
any table would take too long.
"""


def opening_questions(tables: Sequence[TableProfile], count: int = 3) -> tuple[str, ...]:
    """Return up to `count` questions about `tables` that the offline analyst can answer, the most useful first.

    They are shown in an empty chat, and after a question that was declined.
    """
    own = [profile for profile in tables if not profile.path.startswith("results/")] or list(tables)
    ordered = sorted(own, key=lambda profile: -len(profile.columns))[:3]
    per_table = [_questions(profile) for profile in ordered]
    found: list[str] = []
    for row in range(max(map(len, per_table), default=0)):
        for profile, questions in zip(ordered, per_table, strict=True):
            if row < len(questions) and len(found) < count:
                asked = questions[row]
                if len(own) > _MANY or len(understand(asked, tables).forms) != 1:
                    mark = "?" if asked.endswith("?") else ""
                    asked = f"{asked.removesuffix('?')} in {PurePosixPath(profile.path).name}{mark}"
                if asked not in found and len(understand(asked, tables).forms) == 1:
                    found.append(asked)
    return tuple(found)


@lru_cache(maxsize=64)
def _questions(profile: TableProfile) -> tuple[str, ...]:
    table = scopes((profile,))[0]
    return tuple(question for question in _candidates(table) if _works(question, profile))


def _works(question: str, profile: TableProfile) -> bool:
    """Whether a question has one meaning, which the table's source can compute."""
    forms = understand(question, [profile]).forms
    if len(forms) != 1:
        return False
    if profile.source is None or forms[0].show == "columns":
        return True
    try:
        sql_at_source(query(forms[0], table_of(forms[0], [profile])).sql, [profile], profile.source)
    except FormError:
        return False
    return True


def _candidates(table: Table) -> list[str]:
    measures = sorted(
        (c for c in table.columns if c.measure), key=lambda c: (c.adds is not True, c.profile.distinct < 5)
    )
    labels = [c for c in table.columns if c.role == "text" and 2 <= c.profile.distinct <= 60 and not c.naming]
    labels.sort(key=lambda c: abs(c.profile.distinct - 6))
    found = []
    if measures and labels:
        found.append(f"What is the {_verb(measures[0])} {_spoken(measures[0])} by {_spoken(labels[0])}?")
    if measures and table.times:
        found.append(f"Show the {_verb(measures[0])} {_spoken(measures[0])} over time as a line chart")
    if labels:
        found.append(f"How many rows are there for each {_spoken(labels[-1])}?")
    if len(measures) > 1:
        found.append(f"Is there a correlation between {_spoken(measures[0])} and {_spoken(measures[1])}?")
    if measures:
        found += [f"What is the median {_spoken(measures[-1])}?", f"Histogram of {_spoken(measures[0])}"]
    return [
        *found,
        f"How many rows does {table.name} have?",
        f"Describe {table.name}",
        "How many rows are there?",
    ]


def _verb(column: Column) -> str:
    return "total" if column.adds else "average"


def _spoken(column: Column) -> str:
    return " ".join(column.words) or column.name
