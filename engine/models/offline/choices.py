"""The choices in a chip's menu. Every choice is a form that can be computed."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.models.offline.chips import Chip
from engine.models.offline.columns import Column
from engine.models.offline.form import CHARTS, Condition, Filter, Form, FormError, Measure, Order, Ref, Window
from engine.models.offline.group_conditions import group_choices, without_measure
from engine.models.offline.joining import scopes, table_of
from engine.models.offline.merging import with_filters
from engine.models.offline.schema import Table, is_time
from engine.models.offline.source_sql import sql_at_source
from engine.models.offline.spans import spans_offered
from engine.models.offline.sql import query
from engine.models.offline.wording import filter_words, measure_words, order_words, ref_words
from engine.workspace.table_facts import TableProfile

__all__ = ["choices_of"]

_AGGREGATES = ("sum", "mean", "median", "min", "max", "stddev")
_DECADES = 20
"""The minimum number of years for which decades are offered."""
_GRAINS = ("day", "week", "month", "quarter", "year", "month of year", "weekday")
_LIMITS = (1, 3, 5, 10, 20, 50)
_MOST_VALUES = 40
_WINDOWS = (
    ("running total", Window("cumulative")), ("year to date", Window("year to date")),
    ("change from the one before", Window("change")), ("percent change", Window("percent change")),
    ("moving average of 3", Window("moving average", 3)), ("moving average of 7", Window("moving average", 7))
)  # fmt: skip


def choices_of(form: Form, chip: Chip, tables: Sequence[TableProfile]) -> Iterator[tuple[str, str, Form]]:
    """Yield the alternatives for a chip: the text, a hint for choosing, and the resulting form."""
    try:
        table = table_of(form, tables)
    except FormError:
        yield from (
            (name.name, name.rows_text, Form(name.name, measures=(Measure("count"),))) for name in tables
        )
        return
    seen: set[Form] = {form}
    for text, detail, made in _CHOICES[chip.kind](form, chip.place, table, tables):
        if made not in seen and _works(made, tables):
            seen.add(made)
            yield text, detail, made


def _works(form: Form, tables: Sequence[TableProfile]) -> bool:
    try:
        table = table_of(form, tables)
        if form.show != "columns":
            sql, source = query(form, table).sql, table.profile.source
            if source is not None:
                sql_at_source(sql, tables, source)
    except FormError:
        return False
    return True


Choices = Iterator[tuple[str, str, Form]]


def _tables(form: Form, _: int, _table: Table, tables: Sequence[TableProfile]) -> Choices:
    for scope in scopes(tuple(tables)):
        joined = "".join(f" with {join.table} by {join.left.column}" for join in scope.joins)
        same = scope.name == form.table
        made = (
            replace(form, joins=scope.joins)
            if same
            else Form(scope.name, scope.joins, measures=(Measure("count"),))
        )
        yield f"{scope.name}{joined}", scope.profile.rows_text, made


def _with_measure(form: Form, place: int, measure: Measure) -> Form:
    measures = (*form.measures[:place], measure, *form.measures[place + 1 :])
    return replace(form, measures=measures)


def _measures(form: Form, place: int, table: Table, _: Sequence[TableProfile]) -> Choices:
    old = form.measures[place]
    made = [Measure("count")]
    able = [*(c for c in table.columns if c.measure), *spans_offered(table.columns, old.of)]
    for column in sorted(able, key=lambda c: old.of != c.ref):
        names = _AGGREGATES if old.of == column.ref or len(able) <= 8 else ("sum", "mean")
        made += [Measure(name, column.ref) for name in names]  # type: ignore[arg-type]
    made += [Measure("distinct", c.ref) for c in table.columns if c.label and c.role != "date"]
    if form.groups:
        yield "share of all", "in percent", _with_measure(form, place, replace(old, share=True, where=()))
    for measure in made:
        yield measure_words(measure), "", _with_measure(form, place, measure)
    if len(form.measures) > 1:
        yield "Remove", "", without_measure(form, place)


def _labels(table: Table) -> Iterator[tuple[Ref, str]]:
    for column in table.columns:
        if column.role == "date":
            yield from ((replace(column.ref, grain=grain), "") for grain in _GRAINS)  # type: ignore[arg-type]
        elif column.label:
            yield column.ref, f"{column.profile.distinct:,} values"
        if column.year and not column.short_year and (column.high or 0) - (column.low or 0) >= _DECADES:
            yield replace(column.ref, grain="decade"), ""
    for column in (one for one in table.columns if one.profile.missing):
        yield replace(column.ref, grain="presence"), f"{column.profile.missing:,} missing"


def _groups(form: Form, place: int, table: Table, _: Sequence[TableProfile]) -> Choices:
    rest = (*form.groups[:place], *form.groups[place + 1 :])
    for ref, detail in _labels(table):
        if ref not in rest:
            groups = (*form.groups[:place], ref, *form.groups[place + 1 :])
            yield (
                ref_words(ref),
                detail,
                replace(form, groups=groups, within=tuple(r for r in form.within if r in groups)),
            )
    within = tuple(ref for ref in form.within if ref in rest)
    if rest:
        yield "Remove", "", replace(form, groups=rest, within=within)
    else:
        yield (
            "Do not group",
            "one number for all rows",
            replace(
                form,
                groups=(),
                having=(),
                within=(),
                order=None,
                limit=None,
                ties=False,
                window=None,
                chart=None,
                horizontal=False,
            ),
        )


def _values(column: Column) -> Iterator[tuple[str, str, Condition]]:
    """Yield the conditions that a menu offers for a column."""
    profile = column.profile
    if column.role == "flag":
        yield f"{column.name} is {column.yes}", "", Condition(column.ref, "=", (column.yes,))
        yield f"{column.name} is not {column.yes}", "", Condition(column.ref, "!=", (column.yes,))
    elif column.role == "text" and profile.distinct <= 1_000:
        for value in profile.values[:_MOST_VALUES]:
            yield f"{column.name} is {value}", "", Condition(column.ref, "=", (value,))
    elif column.role == "date" and profile.minimum and profile.maximum:
        for year in range(
            int(profile.minimum[:4]),
            min(int(profile.maximum[:4]), int(profile.minimum[:4]) + _MOST_VALUES) + 1,
        ):
            yield (
                f"{column.name} in {year}",
                "",
                Condition(replace(column.ref, grain="year"), "=", (str(year),)),
            )
    elif column.role == "number" and (column.year or profile.distinct <= _MOST_VALUES):
        for text in profile.values[:_MOST_VALUES]:
            number = float(text)
            yield (
                f"{column.name} is {text}",
                "",
                Condition(column.ref, "=", (int(number) if number.is_integer() else number,)),
            )
    if column.measure:
        yield f"{column.name} is above average", "", Condition(column.ref, "above average")
        yield f"{column.name} is below average", "", Condition(column.ref, "below average")
    if profile.missing:
        yield f"{column.name} is present", "", Condition(column.ref, "present")
        yield f"{column.name} is missing", f"{profile.missing:,} rows", Condition(column.ref, "missing")


def _opposites(found: Filter) -> Iterator[tuple[str, Filter]]:
    if len(found.any) != 1:
        return
    condition = found.any[0]
    pairs: dict[str, tuple[str, ...]] = {
        "=": ("!=", ">=", "<="), "!=": ("=",), ">": (">=", "<", "<="), ">=": (">", "<", "<="), "<": ("<=", ">", ">="),
        "<=": ("<", ">", ">="), "between": ("not between",), "not between": ("between",), "missing": ("present",),
        "present": ("missing",), "contains": ("not contains",), "not contains": ("contains",),
        "above average": ("below average",), "below average": ("above average",)
    }  # fmt: skip
    for compare in pairs.get(condition.compare, ()):
        if (
            compare in (">=", "<=")
            and condition.compare == "="
            and isinstance(condition.values[0], str)
            and not condition.of.grain
        ):
            continue
        made = Filter((replace(condition, compare=compare),))  # type: ignore[arg-type]
        yield filter_words(made), made


def _filters(form: Form, place: int, table: Table, _: Sequence[TableProfile]) -> Choices:
    rest = (*form.filters[:place], *form.filters[place + 1 :])
    base = replace(form, filters=rest)
    yield "Remove", "", base
    old = form.filters[place]
    for words, made in _opposites(old):
        yield words, "", with_filters(base, (made,))
    of = old.any[0].of
    for column in sorted(table.columns, key=lambda c: c.name != of.column):
        for words, detail, condition in _values(column):
            yield words, detail, with_filters(base, (Filter((condition,)),))


def _orders(form: Form, _: int, table: Table, __: Sequence[TableProfile]) -> Choices:
    places: list[Any] = (
        [*range(len(form.measures))] if form.show == "numbers" else [c.ref for c in table.columns]
    )
    for by in places:
        for descending in (True, False):
            order = Order(by, descending)
            yield order_words(order, form), "", replace(form, order=order)
    if form.limit is None:
        yield "Default order", "", replace(form, order=None)


def _limits(form: Form, _: int, _table: Table, __: Sequence[TableProfile]) -> Choices:
    for limit in _LIMITS:
        yield (
            f"{limit} rows" if limit > 1 else "only the first",
            "",
            replace(form, limit=limit, ties=limit == 1),
        )
    yield "All rows", "", replace(form, limit=None, ties=False, within=())


def _windows(form: Form, _: int, _table: Table, __: Sequence[TableProfile]) -> Choices:
    for words, window in _WINDOWS:
        yield words, "", replace(form, window=window)
    yield "Remove", "", replace(form, window=None)


def _charts(form: Form, _: int, table: Table, __: Sequence[TableProfile]) -> Choices:
    time = bool(form.groups) and is_time(form.groups[0], table)
    marks = ("line", "bar", "area") if time else ("bar", "arc")
    if form.show != "numbers":
        return
    yield "table", "", replace(form, chart=None, horizontal=False)
    for mark in (*marks, *(("rect",) if len(form.groups) == 2 else ())):
        yield CHARTS[mark], "", replace(form, chart=mark, horizontal=False)
    yield "horizontal bar chart", "", replace(form, chart="bar", horizontal=True)


def _columns(form: Form, _: int, table: Table, __: Sequence[TableProfile]) -> Choices:
    if form.show in ("histogram", "outliers", "values"):
        able = [c for c in table.columns if (c.label if form.show == "values" else c.measure)]
        for column in able:
            yield column.name, "", replace(form, columns=(column.ref,))
    elif form.show == "points" and len(form.columns) > 1:
        for column in (c for c in table.columns if c.measure):
            yield (
                f"{column.name} against {form.columns[0].column}",
                "",
                replace(form, columns=(form.columns[0], column.ref, *form.columns[2:])),
            )
    elif form.show == "rows":
        yield "all columns", "", replace(form, columns=())


def _add(form: Form, _: int, table: Table, _tables: Sequence[TableProfile]) -> Choices:
    if form.show == "numbers" and len(form.groups) < 3 and not (form.groups and form.limit == 1):
        for ref, detail in _labels(table):
            if ref not in form.groups:
                yield f"by {ref_words(ref)}", detail, replace(form, groups=(*form.groups, ref))
    if form.show == "numbers" and form.groups and form.limit is None and form.window is None:
        for limit in (5, 10):
            yield f"top {limit}", "", replace(form, order=form.order or Order(0), limit=limit)
    if form.show == "numbers" and form.window is None and form.limit is None:
        yield from ((words, "over time", replace(form, window=window)) for words, window in _WINDOWS)
    if form.show == "numbers" and form.order is None and form.groups:
        yield "largest first", "", replace(form, order=Order(0))
        yield "smallest first", "", replace(form, order=Order(0, False))
    for column in table.columns:
        if not any(c.of.column == column.name for f in form.filters for c in f.any):
            for words, detail, condition in _values(column):
                yield f"where {words}", detail, with_filters(form, (Filter((condition,)),))
    if form.show == "numbers" and form.window is None and not any(m.share for m in form.measures):
        for column in (c for c in table.columns if c.measure):
            name: Any = "sum" if column.adds else "mean"
            measure = Measure(name, column.ref)
            if measure not in form.measures:
                yield f"and {measure_words(measure)}", "", replace(form, measures=(*form.measures, measure))


_CHOICES: dict[str, Any] = {
    "table": _tables, "measure": _measures, "group": _groups, "filter": _filters, "having": group_choices,
    "order": _orders, "limit": _limits, "window": _windows, "chart": _charts, "columns": _columns, "add": _add
}  # fmt: skip
