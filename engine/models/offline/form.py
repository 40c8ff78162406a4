"""The query form: what a question means to the offline analyst, as values.

A form is read from a sentence, changed by chips, written as a sentence, and turned into SQL. SQL is made from the
form only, so the answer cannot contain anything that is not in the form.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from events.canonical import JSON

__all__ = [
    "CHARTS",
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
    "Window",
    "form_from",
    "form_json",
]

Scalar: TypeAlias = str | int | float
Grain: TypeAlias = Literal[
    "", "hour", "day", "week", "month", "quarter", "year", "decade",
    "month of year", "quarter of year", "weekday", "part of week", "hour of day", "day of month"
]  # fmt: skip
"""A date cut to a period; the last six are the same in each year, week or day."""
Aggregate: TypeAlias = Literal[
    "count", "distinct", "sum", "mean", "median", "min", "max", "range", "stddev", "variance", "percentile",
    "missing", "correlation"
]  # fmt: skip
Operator: TypeAlias = Literal["", "+", "-", "*", "/"]
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
    """A form is not valid; the text says why."""


@_STRICT
@dataclass(frozen=True, slots=True)
class Ref:
    """A column, cut to a period if it is a date."""

    column: str
    table: str = ""
    """Empty: the form's main table."""
    grain: Grain = ""


@_STRICT
@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a column with values, or with another column."""

    of: Ref
    compare: Compare
    values: tuple[Scalar, ...] = ()
    """For `=` any of these, for `!=` none of these. Periods are written `2024`, `2024-Q3`, `2024-03`, `2024-03-05`."""
    other: Ref | None = None


@_STRICT
@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions, at least one of which must be true."""

    any: tuple[Condition, ...]


@_STRICT
@dataclass(frozen=True, slots=True)
class Measure:
    """A number computed over rows."""

    aggregate: Aggregate
    of: Ref | None = None
    """None only to count rows."""
    operator: Operator = ""
    other: Ref | None = None
    """The second column of an operator or a correlation."""
    at: float = 0.0
    """The percentile, from 0 to 100."""
    per: Ref | None = None
    """For a count or a sum: its average over the different values of a column, as in “orders per customer”."""
    share: bool = False
    """In percent: of all rows that `where` does not exclude, or of all groups."""
    where: tuple[Filter, ...] = ()
    """Only rows for which these hold count; for a share, all rows are the whole."""


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
    """How the result is sorted: by a measure (its place), by the groups, or by a column of rows."""

    by: int | Ref | Literal["groups"]
    descending: bool = True


@_STRICT
@dataclass(frozen=True, slots=True)
class Window:
    """A measure along the time of its groups."""

    kind: Literal["cumulative", "year to date", "change", "percent change", "moving average"]
    size: int = 0
    """The number of periods of a moving average, or between the compared periods: 0 is the previous one."""


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
    """Groups with a limit in each: the top three of every region."""
    ties: bool = False
    """Whether rows that tie with the last one are shown too."""
    window: Window | None = None
    chart: Chart | None = None
    horizontal: bool = False
    compares: Literal["", "more", "less"] = ""
    """A yes-or-no question: whether the first of two values is more, or less, than the second."""


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Form]:
    return TypeAdapter(Form)


def form_from(document: JSON) -> Form:
    """Return the form in a JSON document; raise FormError if it does not contain one."""
    try:
        form = _adapter().validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "form"
        raise FormError(f"The form is not valid at {where}: {first['msg']}.") from None
    for problem in _problems(form):
        raise FormError(f"The form is not valid: {problem}.")
    return form


_COLUMNS = {"values": 1, "points": 1, "histogram": 1, "outliers": 1, "change": 1}
"""How many columns forms that show these have at least."""


def _measure_problems(measure: Measure) -> Iterator[str]:
    if measure.of is None and measure.aggregate != "count":
        yield f"{measure.aggregate} needs a column"
    if (measure.operator or measure.aggregate == "correlation") and measure.other is None:
        yield f"{measure.operator or measure.aggregate} needs a second column"
    if measure.other is not None and not measure.operator and measure.aggregate != "correlation":
        yield "a second column needs an operator"
    if measure.per is not None and (measure.aggregate not in ("count", "sum") or measure.share):
        yield "only counts and sums are averaged over a column"
    if measure.aggregate == "percentile" and not 0 < measure.at < 100:
        yield "a percentile is between 0 and 100"


def _problems(form: Form) -> Iterator[str]:
    """Return problems that types cannot express: parts that need each other, and places that must exist."""
    if form.show in ("numbers", "change") and not form.measures:
        yield "there is nothing to compute"
    if len(form.columns) < _COLUMNS.get(form.show, 0):
        yield f"{form.show} needs a column"
    for measure in form.measures:
        yield from _measure_problems(measure)
    for found in (*form.filters, *(found for measure in form.measures for found in measure.where)):
        if not found.any:
            yield "a filter has no condition"
        yield from (problem for condition in found.any if (problem := _condition_problem(condition)))
    by = form.order.by if form.order is not None else None
    if isinstance(by, int) and not 0 <= by < len(form.measures):
        yield f"it is sorted by measure {by}, and there are {len(form.measures)}"
    if form.limit is not None and form.groups and form.order is None:
        yield "the first groups are only clear with an order"
    if form.show == "numbers" and isinstance(by, Ref):
        yield "numbers are sorted by a measure or by the groups"
    if form.show != "numbers" and by is not None and not isinstance(by, Ref):
        yield "rows are sorted by a column"
    if any(not 0 <= having.measure < len(form.measures) for having in form.having):
        yield "a condition names a measure that is not there"
    if form.limit is not None and not 1 <= form.limit <= 1_000_000:
        yield "the limit is not between 1 and 1,000,000"
    if (form.within or form.ties) and (form.limit is None or form.order is None):
        yield "a limit for each group, or with ties, needs an order and a limit"
    if form.show == "numbers" and form.limit is not None and form.within and not isinstance(by, int):
        yield "a limit for each group needs an order by a measure"
    if (
        form.window is not None
        and form.window.kind == "moving average"
        and not 2 <= form.window.size <= 1_000
    ):
        yield "a moving average has 2 to 1,000 periods"


def _condition_problem(condition: Condition) -> str:
    many = len(condition.values)
    if condition.other is not None:
        return (
            ""
            if condition.compare in ("=", "!=", "<", "<=", ">", ">=")
            else "columns are compared by = < or >"
        )
    if condition.compare in ("missing", "present", "above average", "below average"):
        return ""
    wanted = 2 if condition.compare.endswith("between") else 1
    one_only = condition.compare not in ("=", "!=") and not condition.compare.endswith("between")
    if many < wanted or (one_only and many > 1):
        return f"the condition on {condition.of.column} has {many} values"
    return ""


def form_json(form: Form) -> JSON:
    """Return a form as JSON, without default values."""
    document: JSON = _adapter().dump_python(form, mode="json", exclude_defaults=True)
    return document
