"""What a question asks for, once it is read: values without words, ready to become SQL and a sentence."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from engine.models.offline.schema import Column, Table
from engine.models.offline.times import When

__all__ = ["Filter", "Grain", "Group", "Intent", "Kind", "Measure", "Side", "replace"]

Kind: TypeAlias = Literal[
    "aggregate",
    "list",
    "top",
    "compare",
    "share",
    "correlation",
    "missing",
    "missing_table",
    "distinct",
    "extent",
    "describe",
    "change",
    "histogram",
    "scatter",
    "head",
    "share_of_sum",
    "streak",
]
Grain: TypeAlias = Literal[
    "day", "week", "month", "quarter", "year", "decade", "hour", "weekday", "monthname"
]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number to compute.

    `fn` is `count`, `avg`, `sum`, `median`, `min`, `max`, `stddev`, `var`, `distinct`, `pctl`, `iqr`, or `ratio`
    (the mean of one column over another), or `percent` (the same, times a hundred).
    """

    fn: str
    column: Column | None = None
    quantile: float = 0.5
    per: Column | None = None
    grain: Grain | None = None
    """Of different times: which unit of time is counted."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the rows are grouped by: a column, of a date column a grain of it."""

    column: Column
    grain: Grain | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows count. `op` is a comparison, `in`, `between`, `null`, `notnull`, `contains`, `when`, `above_avg`,
    `below_avg`, or `any` of `parts`."""

    op: str
    column: Column | None = None
    values: tuple[str | float, ...] = ()
    negated: bool = False
    when: When | None = None
    parts: tuple["Filter", ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison."""

    label: str
    filter: Filter


@dataclass(frozen=True, slots=True)
class Intent:
    """A question that was read whole."""

    kind: Kind
    table: Table
    measures: tuple[Measure, ...] = ()
    groups: tuple[Group, ...] = ()
    filters: tuple[Filter, ...] = ()
    having: Filter | None = None
    columns: tuple[Column, ...] = ()
    """Columns to list, to relate or to describe."""
    descending: bool = True
    limit: int | None = None
    only_first: bool = False
    """Whether the question asks which one, rather than for a ranking."""
    sides: tuple[Side, ...] = ()
    verdict: int = 0
    """For a yes-or-no question: 1 where the first side is said to be more, -1 where less."""
    predicate: tuple[Filter, ...] = ()
    """Of a share: what is counted, among the rows that `filters` leaves."""
    as_share: bool = False
    """Whether counts or sums of groups are told as percentages."""
    chart: str | None = None
    color: Column | None = None
    percent: bool = False
    """Whether a change is asked for in percent."""
    implied: bool = False
    """Whether the aggregate was not named but taken from the column's nature."""
    noun: str = "rows"
    """What the rows are called, in the question's words."""
    ordered_by_label: bool = True
