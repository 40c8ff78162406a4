"""Checks that a form can be computed, and that everything in it has an effect. Pure."""

from typing import Any

from engine.models.offline.checks_lengths import lengths_checked
from engine.models.offline.form import Condition, Filter, Form, Measure, Ref
from engine.models.offline.schema import Table, is_time

__all__ = ["checked"]


def checked(form: Form, table: Table) -> bool:
    """Return whether a form can be computed and everything in it has an effect."""
    if any(_not_a_date(c, table) for f in form.filters for c in f.any) or _averages_above_average(form):
        return False
    if form.chart == "auto" or any(
        _contradict((*form.filters, *m.where)) for m in (*form.measures, Measure("count"))
    ):
        return False
    if _loose_end(form.filters) or _compares_rows(form, table) or not lengths_checked(form, table):
        return False
    if form.show == "numbers":
        return _numbers_checked(form, table)
    if form.groups or form.window or form.having:
        return False
    if form.show == "change":
        others = (c.of for f in form.filters for c in f.any if c.compare not in ("present", "missing"))
        if any(is_time(ref, table) and ref.column != form.columns[0].column for ref in others):
            return False
        whole = form.columns[0].grain or table.column(form.columns[0]).role != "date"
        if not whole and form.measures[0].aggregate in ("count", "sum"):
            return False  # the first and the last day say nothing about growth
        return not any(_one_period(c, form.columns[0]) for f in form.filters for c in f.any)
    if form.show == "values" and any(_never(c, table) for f in form.filters for c in f.any):
        return False  # “categories with no products”: a category without rows is not in the table
    if form.show == "points":
        return len(form.columns) >= (1 if form.chart == "boxplot" else 2)
    return True


def _averages_above_average(form: Form) -> bool:
    """Whether a form averages only rows above or below the average. “Which assignees have an average effort above the
    average” does not ask for this: it compares the groups, not the rows.
    """
    above = {c.of for f in form.filters for c in f.any if c.compare in ("above average", "below average")}
    return any(m.aggregate in ("mean", "median") and m.of in above for m in form.measures)


def _not_a_date(condition: Condition, table: Table) -> bool:
    """Whether a form compares a date with a number. “Added in 2023”, in contrast, compares a date with a period."""
    numbers = any(not isinstance(value, str) for value in condition.values)
    return numbers and not condition.of.grain and table.column(condition.of).role == "date"


def _compares_rows(form: Form, table: Table) -> bool:
    """Whether a form lists each value that has a row above or below average. “Which inspectors score below average”
    does not ask for this: it compares the inspectors, not single rows.
    """
    compared = any(c.compare in ("above average", "below average") for f in form.filters for c in f.any)
    return (
        form.show == "values"
        and compared
        and not any(table.names_rows(table.column(r)) for r in form.columns)
    )


def _loose_end(filters: tuple[Filter, ...]) -> bool:
    """Whether a month without a year is next to the end of a period: “from June 15 through August 2021” was only half
    read.
    """
    single = [f.any[0] for f in filters if len(f.any) == 1]
    every = {
        c.of.column for c in single if c.of.grain in ("month of year", "quarter of year", "day of month")
    }
    return any(c.of.column in every and c.compare == "<=" and c.of.grain for c in single)


def _never(condition: Condition, table: Table) -> bool:
    return condition.compare == "missing" and not table.column(condition.of).profile.missing


def _one_period(condition: Condition, time: Ref) -> bool:
    """Whether a condition limits a change from period to period to a single period: “grow in 2016”, if the periods are
    years.
    """
    return condition.of == time and condition.compare == "=" and len(condition.values) == 1


def _contradict(filters: tuple[Filter, ...]) -> bool:
    """Whether conditions exclude each other (a column equal to two different values), or one of them has no effect."""
    equal = [
        f.any[0] for f in filters if len(f.any) == 1 and f.any[0].compare == "=" and len(f.any[0].values) == 1
    ]
    without = [c for f in filters if len(f.any) == 1 for c in f.any if c.compare == "!="]
    several = [f.any[0] for f in filters if len(f.any) == 1 and f.any[0].compare == "="]
    excluded = any(
        c.of == other.of and (set(c.values) <= set(other.values) or set(c.values).isdisjoint(other.values))
        for c in several
        for other in without
    )  # nothing is left, or “not A” says nothing beside “B”
    idle = any(
        {(c.of, "="), (c.of, "!=")} <= {(other.of, other.compare) for other in f.any}
        for f in filters
        for c in f.any
    )  # “not A or B” of one column is “not A”
    return (
        excluded
        or idle
        or len({c.of for c in equal}) < len(set(equal))
        or _two_times(filters)
        or _moment(filters)
        or _apart(filters)
    )


def _apart(filters: tuple[Filter, ...]) -> bool:
    """Whether two ranges of one column exclude each other: 2016 to 2019, and 2020 to 2024."""
    bounds: dict[Ref, list[tuple[Any, Any]]] = {}
    for found in (f.any[0] for f in filters if len(f.any) == 1 and f.any[0].other is None):
        if found.compare == "between":
            bounds.setdefault(found.of, []).append((found.values[0], found.values[1]))
        elif found.compare in (">", ">="):
            bounds.setdefault(found.of, []).append((found.values[0], None))
        elif found.compare in ("<", "<="):
            bounds.setdefault(found.of, []).append((None, found.values[0]))
    for ranges in bounds.values():
        lows = [low for low, _ in ranges if low is not None]
        highs = [high for _, high in ranges if high is not None]
        alike = len({isinstance(one, str) for one in (*lows, *highs)}) == 1
        if lows and highs and alike and max(lows) > min(highs):
            return True
    return False


def _moment(filters: tuple[Filter, ...]) -> bool:
    """Whether a time of day was read separately from its day. “Before 7 February at 8 pm” names one moment; it does not
    mean all days before 7 February, and not 8 pm on each day.
    """
    single = [f.any[0] for f in filters if len(f.any) == 1]
    at = {c.of.column for c in single if c.of.grain == "time of day" and _is_one_hour(c)}
    days = [c for c in single if c.of.grain != "time of day" and c.compare in ("<", "<=", ">", ">=")]
    return any(c.of.column in at for c in days)


def _is_one_hour(condition: Condition) -> bool:
    hours = {str(value)[:2] for value in condition.values}
    return condition.compare in ("=", "between") and len(hours) == 1


def _two_times(filters: tuple[Filter, ...]) -> bool:
    """Whether two conditions on the same time column overlap or exclude each other: June 2020 and the year 2021."""
    times = [(c.of.column, c.of.grain) for f in filters if len(f.any) == 1 for c in f.any if c.compare == "="]
    mixed = [
        {(c.of.column, c.of.grain in _PARTS_OF_YEARS) for c in f.any if c.of.grain}
        for f in filters
        if len(f.any) > 1
    ]
    if any(len(kinds) > len({column for column, _ in kinds}) for kinds in mixed):
        return True  # “June, July or August of 2021”, of which only August is in 2021
    for column in {column for column, grain in times if grain}:
        grains = [grain for of, grain in times if of == column]
        fixed = [grain for grain in grains if grain in _FIXED]
        part = set(_PARTS_OF_YEARS) & set(grains)
        if len(fixed) > 1 or (part and {"month", "quarter", "day"} & set(fixed)):
            return True
    return False


_FIXED = ("decade", "year", "quarter", "month", "week", "day")
_PARTS_OF_YEARS = ("month of year", "quarter of year")


def _numbers_checked(form: Form, table: Table) -> bool:
    if not form.measures or len(set(form.measures)) < len(form.measures):
        return False
    times = [ref for ref in form.groups if is_time(ref, table)]
    if form.window is not None and (len(times) != 1 or form.limit is not None or len(form.measures) != 1):
        return False
    grouped = {ref.column for ref in form.groups}
    if _counts_by_numbers(form, table) or _one_row_each(form, table) or _varies_in_a_row(form, table):
        return False
    if any(
        len(f.any) > 1 and f.any[-1].compare == "missing" and f.any[-1].of.column in grouped
        for f in form.filters
    ):
        return False  # a row without a country does not have a country other than France
    if any(measure.share and not measure.where and not form.groups for measure in form.measures):
        return False
    if any(not _measure_checked(measure, form) for measure in form.measures):
        return False
    if form.chart is not None:
        return bool(form.groups) and len(form.groups) <= (1 if form.chart == "arc" else 2)
    return True


def _counts_by_numbers(form: Form, table: Table) -> bool:
    """Whether “how many shops have more than 100 seats” was read as numbers of seats that more than 100 shops have."""
    numbers = bool(form.groups) and all(table.column(ref).measure for ref in form.groups)
    return bool(form.having) and numbers and [m.aggregate for m in form.measures] == ["distinct"]


def _varies_in_a_row(form: Form, table: Table) -> bool:
    """Whether something that needs several rows is computed for groups of one row each: a correlation per session."""
    several = any(m.aggregate in ("correlation", "stddev", "variance", "range") for m in form.measures)
    columns = [table.column(ref) for ref in form.groups if not ref.grain]
    return several and any(c.profile.distinct == table.profile.rows and not c.table for c in columns)


def _one_row_each(form: Form, table: Table) -> bool:
    """Whether rows are counted by a value that differs in each row. Every count is then 1, for example if trees are
    counted by their ids.
    """
    if len(form.groups) != 1 or form.groups[0].grain or any(m.aggregate != "count" for m in form.measures):
        return False
    column = table.column(form.groups[0])
    named = column.role == "text" or column.key
    return (
        named
        and not column.table
        and table.profile.rows > 1
        and column.profile.distinct == table.profile.rows
    )


def _measure_checked(measure: Measure, form: Form) -> bool:
    grouped = {ref.column for ref in form.groups}
    if measure.aggregate not in ("count", "distinct", "missing") and measure.of in form.groups:
        return False
    if measure.aggregate == "distinct" and measure.of is not None and measure.of.column in grouped:
        return False
    constant = {
        c.of
        for f in form.filters
        for c in f.any
        if c.compare == "=" and len(c.values) == 1 and len(f.any) == 1
    }
    shared = {c.of for f in measure.where for c in f.any}
    return not (measure.share and measure.where and shared & constant)
