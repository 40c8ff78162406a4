"""The query form: the meaning of a question for the offline analyst, as values.

A form is read from a sentence, changed by chips, written as a sentence, and turned into SQL. SQL is made only from the
form, so the answer cannot contain anything that is not in the form.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from pydantic import ConfigDict, with_config

from events.late_dataclass import dataclass

__all__ = [
    "CHARTS",
    "SECONDS",
    "Aggregate",
    "Chart",
    "Condition",
    "Filter",
    "Form",
    "FormError",
    "Grain",
    "Having",
    "Join",
    "Measure",
    "Order",
    "Ref",
    "Scalar",
    "Show",
    "SpanUnit",
    "Window",
    "refs_of",
]

Scalar: TypeAlias = str | int | float
Grain: TypeAlias = Literal[
    "", "hour", "day", "week", "month", "quarter", "year", "decade",
    "month of year", "quarter of year", "weekday", "part of week", "hour of day", "day of month", "time of day",
    "presence"
]  # fmt: skip
"""The period to which a date is truncated; from `month of year` on, periods repeat in each year, week or day.
`time of day` is only for conditions. `presence` is for any column: whether a row has a value."""
Aggregate: TypeAlias = Literal[
    "count", "distinct", "sum", "mean", "median", "min", "max", "range", "stddev", "variance", "percentile",
    "missing", "correlation"
]  # fmt: skip
SpanUnit: TypeAlias = Literal["", "seconds", "minutes", "hours", "days", "weeks"]
SECONDS: dict[SpanUnit, int] = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400, "weeks": 604_800}
Operator: TypeAlias = Literal["", "+", "-", "*", "/", "%"]
"""An operator between two columns; `%` gives the first as a percentage of the second."""
Compare: TypeAlias = Literal[
    "=", "!=", "<", "<=", ">", ">=", "between", "not between", "missing", "present", "contains", "not contains",
    "above average", "below average"
]  # fmt: skip
Show: TypeAlias = Literal[
    "numbers",
    "rows",
    "values",
    "columns",
    "missing",
    "duplicates",
    "outliers",
    "points",
    "histogram",
    "change",
]
"""`numbers`: measures by groups. `values`: the different values of columns. `columns`: a description of the table.
`points`: rows to draw. `change`: a measure at the first and the last time, and the change between them."""
Chart: TypeAlias = Literal["auto", "bar", "line", "point", "arc", "area", "histogram", "boxplot", "rect"]
CHARTS: dict[str, str] = {
    "bar": "bar chart", "line": "line chart", "point": "scatter plot", "arc": "pie chart", "area": "area chart",
    "histogram": "histogram", "boxplot": "box plot", "rect": "heat map"
}  # fmt: skip

_STRICT = with_config(ConfigDict(extra="forbid"))


class FormError(ValueError):
    """Raised if a form is not valid. The text says why."""


@_STRICT
@dataclass(frozen=True, slots=True)
class Ref:
    """A column. A date column can be truncated to a period such as a month."""

    column: str
    table: str = ""
    """The table of the column; empty: the form's main table."""
    grain: Grain = ""
    until: str = ""
    """A later date column of the same table. The reference then means the time from `column` to `until`, in `unit`."""
    unit: SpanUnit = ""
    """Without `until`: the unit to which a column of times such as `duration_sec` is converted."""
    width: float = 0
    """The width of the steps into which a group divides a number column; a step is named by its lower end."""

    @property
    def name(self) -> str:
        """The column's name; `minutes from started_at to ended_at` for the time between two dates; `duration_sec in
        minutes` for a column in another unit; `age in steps of 10`.
        """
        if self.width:
            return f"{self.column} in steps of {self.step}"
        if self.until:
            return f"{self.unit} from {self.column} to {self.until}"
        return f"{self.column} in {self.unit}" if self.unit else self.column

    @property
    def step(self) -> str:
        """The width as text, without a fraction if it is a whole number."""
        return str(int(self.width)) if self.width % 1 == 0 else str(self.width)


@_STRICT
@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a column with values, or with another column."""

    of: Ref
    compare: Compare
    values: tuple[Scalar, ...] = ()
    """The values: `=` means any of them, `!=` none of them. Periods are written `2024`, `2024-Q3`, `2024-03`,
    `2024-03-05`, times of day `07:30`."""
    other: Ref | None = None


@_STRICT
@dataclass(frozen=True, slots=True)
class Filter:
    """A list of conditions, at least one of which must be true."""

    any: tuple[Condition, ...]


@_STRICT
@dataclass(frozen=True, slots=True)
class Measure:
    """A number computed over rows."""

    aggregate: Aggregate
    of: Ref | None = None
    """The column; None only if rows are counted."""
    operator: Operator = ""
    other: Ref | None = None
    """The second column, for an operator or a correlation."""
    at: float = 0.0
    """The percentile, from 0 to 100."""
    per: Ref | None = None
    """A column, such as the customer in “orders per customer”. The count or sum is divided by the number of different
    values of this column.
    """
    share: bool = False
    """Whether the measure is in percent: of all rows if there is a `where`, else of all groups."""
    where: tuple[Filter, ...] = ()
    """Only rows that meet these conditions count; for a share, all rows are the whole."""


@_STRICT
@dataclass(frozen=True, slots=True)
class Join:
    """Another table, joined where two columns are equal."""

    table: str
    left: Ref
    right: Ref


@_STRICT
@dataclass(frozen=True, slots=True)
class Having:
    """A condition on a measure of each group."""

    measure: int
    compare: Literal["=", "<", "<=", ">", ">="]
    value: float


@_STRICT
@dataclass(frozen=True, slots=True)
class Order:
    """How the result is sorted: by a measure (given by its index), by the groups, or by a column of rows."""

    by: int | Ref | Literal["groups"]
    descending: bool = True


@_STRICT
@dataclass(frozen=True, slots=True)
class Window:
    """A computation over groups in the order of time, such as a running total."""

    kind: Literal["cumulative", "year to date", "change", "percent change", "moving average"]
    size: int = 0
    """The number of periods in a moving average, or between compared periods (0 compares with the previous one)."""


@_STRICT
@dataclass(frozen=True, slots=True)
class Form:
    """One reading of a question."""

    table: str
    joins: tuple[Join, ...] = ()
    show: Show = "numbers"
    measures: tuple[Measure, ...] = ()
    groups: tuple[Ref, ...] = ()
    filters: tuple[Filter, ...] = ()
    having: tuple[Having, ...] = ()
    columns: tuple[Ref, ...] = ()
    """The columns that `rows`, `values`, `points`, `histogram`, `outliers` and `missing` show."""
    order: Order | None = None
    limit: int | None = None
    within: tuple[Ref, ...] = ()
    """The groups to which the limit applies separately, as in “the top three of every region”."""
    ties: bool = False
    """Whether rows that tie with the last one are shown too."""
    window: Window | None = None
    chart: Chart | None = None
    horizontal: bool = False
    compares: Literal["", "more", "less", "difference"] = ""
    """For a question about two values: whether it asks if the first is more or less than the second, or how far apart
    they are."""


def refs_of(form: Form) -> Iterator[Ref]:
    """Yield the columns that a form uses, except those that join its tables."""
    for measure in form.measures:
        yield from (ref for ref in (measure.of, measure.other, measure.per) if ref is not None)
    for found in (*form.filters, *(found for measure in form.measures for found in measure.where)):
        for condition in found.any:
            yield from (ref for ref in (condition.of, condition.other) if ref is not None)
    yield from (*form.groups, *form.columns, *form.within)
    if form.order is not None and isinstance(form.order.by, Ref):
        yield form.order.by
