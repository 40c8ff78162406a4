"""Adds phrases to a form. Pure."""

from dataclasses import replace
from typing import Any

from engine.models.offline.chart_forms import drawn_as
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form, Having, Measure, Order, Ref, Window
from engine.models.offline.meanings import Part, either
from engine.models.offline.merging_numbers import ADD_NUMBERS, with_filters
from engine.models.offline.merging_order import sort
from engine.models.offline.schema import Table, is_time

__all__ = ["added", "with_filters"]


def added(form: Form, parts: tuple[Part, ...], table: Table) -> list[Form]:
    """Return the forms that result from adding phrases to a form; none if they contradict each other."""
    found = [form]
    for part in sorted(parts, key=lambda part: _LATE.get(part.kind, 0)):
        found = [after for before in found for after in _ADD[part.kind](before, part.value, table)]
    return found


_LATE = {
    "limit": 2,
    "over time": 1,
    "in unit": 2,
    "sort": 1,
    "as share": 2,
    "that share": 3,
    "having": 1,
    "having of": 1,
    "stepped": 2,
    "percent": 3,
    "chart": 3,
    "horizontal": 4,
    "said mean": 1,
    "said sum": 1,
    "added up": 1,
    "no blanks": 1,
    "window": 2,
}
"""Phrases that depend on the other phrases. They are added last, in the order of these numbers."""


def _group(form: Form, refs: tuple[Ref, ...], table: Table) -> list[Form]:
    if any(ref.grain and _elsewhere(form, ref) for ref in refs):
        return []
    hours = {ref.column for ref in (*refs, *form.groups) if ref.grain == "hour"}
    if any(ref.grain == "hour of day" and ref.column in hours for ref in (*refs, *form.groups)):
        return []  # “what time of day … by hour” asks for one of them
    if form.window is not None and refs and set(refs) <= set(form.groups):
        return [form]
    if any(ref in form.groups for ref in refs) or len(set(refs)) < len(refs):
        return []
    if form.show == "points":
        wide = form.chart == "boxplot"
        return (
            [replace(form, columns=(*form.columns, *refs))]
            if len(form.columns) + len(refs) <= 2 + (not wide)
            else []
        )
    if form.show != "numbers" or len(form.groups) + len(refs) > 3:
        return _rows_within(form, refs, table)
    if form.groups and form.limit is not None:
        if form.within or any(_names_rows(table.column(ref)) for ref in refs):
            return []
        return [replace(form, groups=(*refs, *form.groups), within=refs)]
    return [replace(form, groups=(*form.groups, *refs))]


def _over_time(form: Form, refs: tuple[Ref, ...], table: Table) -> list[Form]:
    """Add “over time”: keep the form's groups if one of them is a time; else group by `refs` first, before all other
    groups.
    """
    if any(is_time(ref, table) for ref in form.groups):
        return [form]
    made = _group(form, refs, table)
    if form.show != "numbers" or form.limit is not None:
        return made
    return [replace(one, groups=(*refs, *(ref for ref in one.groups if ref not in refs))) for one in made]


def _elsewhere(form: Form, ref: Ref) -> bool:
    """Whether a form counts events with a date in one column, and `ref` is another date column: signups are counted by
    the month of the signup.
    """
    dates = [c.of.column for f in form.filters for c in f.any if c.compare == "present"]
    return bool(dates) and form.show == "numbers" and ref.column not in dates


def _rows_within(form: Form, refs: tuple[Ref, ...], table: Table) -> list[Form]:
    """Add “of each genre”, as in “the longest film of each genre”: apply the limit in each group."""
    if (
        form.show != "rows"
        or form.limit is None
        or form.order is None
        or form.within
        or form.order.by in refs
        or any(table.column(ref).measure for ref in refs)
    ):
        return []  # “the longest flight by distance” is not the longest one of each distance
    columns = tuple(dict.fromkeys((*refs, *form.columns))) if form.columns else ()
    return [replace(form, within=refs, columns=columns)]


def _timed(form: Form, value: tuple[Ref, Filter], table: Table) -> list[Form]:
    """Add “in each quarter of 2022” as a group and a condition."""
    ref, found = value
    return [after for one in _group(form, (ref,), table) for after in _where(one, (found,), table)]


def _where(form: Form, filters: tuple[Filter, ...], _table: Table) -> list[Form]:
    if form.show == "columns" or (form.show == "missing" and not filters):
        return []
    if any(c.of.grain and _elsewhere(form, c.of) for f in filters for c in f.any):
        return []
    equal = [c.of for f in (*form.filters, *filters) for c in f.any if len(f.any) == 1 and c.compare == "="]
    if len(set(equal)) < len(equal) and not set(filters) <= set(form.filters):
        return []
    if form.show == "change":
        grains = [
            c.of.grain for f in filters for c in f.any if c.of.column == form.columns[0].column and c.of.grain
        ]
        form = replace(form, columns=(replace(form.columns[0], grain=grains[0]),)) if grains else form
    return [with_filters(form, filters)]


def _also(form: Form, ref: Ref, _table: Table) -> list[Form]:
    if form.show != "rows":
        return []
    return (
        [form] if not form.columns or ref in form.columns else [replace(form, columns=(*form.columns, ref))]
    )


def _only(form: Form, refs: tuple[Ref, ...], _table: Table) -> list[Form]:
    """Add “…, with title and price”: show only these columns of the rows."""
    if form.show != "rows":
        return []
    if form.limit is not None:  # keep the columns that name the first rows
        return [replace(form, columns=tuple(dict.fromkeys((*form.columns, *refs))) if form.columns else ())]
    by = (form.order.by,) if form.order is not None and isinstance(form.order.by, Ref) else ()
    return [replace(form, columns=tuple(dict.fromkeys((*form.columns, *refs, *by))))]


def _versus(form: Form, value: tuple[Ref, tuple[Any, ...]], _table: Table) -> list[Form]:
    ref, values = value
    if form.show != "numbers":
        return []
    groups = form.groups if ref in form.groups else (*form.groups, ref)
    return [with_filters(replace(form, groups=groups), (either(ref, values),) if values else ())]


def _each(form: Form, found: Filter, _table: Table) -> list[Form]:
    """Read “the average for members and guests” as one average for each of them. The other reading, one result over
    both groups, comes from `where`.
    """
    adds = all(measure.aggregate in ("count", "sum") for measure in form.measures)
    if form.show != "numbers" or form.groups or adds:
        return []
    return [with_filters(replace(form, groups=(found.any[0].of,)), (found,))]


def _each_period(form: Form, found: Filter, table: Table) -> list[Form]:
    """Read “for 2000, 2010 and 2020” as a number for each period. The other reading combines the periods."""
    ref = found.any[0].of
    if (
        form.show != "numbers"
        or any(group.column == ref.column for group in form.groups)
        or form.window is not None
    ):
        return []
    return _where(replace(form, groups=(*form.groups, ref)), (found,), table)


def _limit(form: Form, value: tuple[int, bool], table: Table) -> list[Form]:
    number, top = value
    if form.limit is not None and form.limit != 1:
        return []
    if form.show == "rows":
        return [replace(form, limit=number, ties=False)] if top or form.order is not None else []
    if form.show != "numbers" or not form.groups or (is_time(form.groups[0], table) and form.order is None):
        return []
    return [replace(form, order=form.order or Order(0, top), limit=number, ties=False)]


def _limit_by(form: Form, value: tuple[int, Ref, bool], _table: Table) -> list[Form]:
    number, ref, top = value
    if form.show != "rows" or form.order is not None:
        return []
    return [replace(form, order=Order(ref, top), limit=number, ties=False)]


def _having(form: Form, value: tuple[Measure, Any, float], _table: Table) -> list[Form]:
    """Add “… with more than 5 orders”: keep the groups that meet a condition on a number."""
    measure, how, limit = value
    if form.show != "numbers" or not form.groups or form.window is not None:
        return []
    place = form.measures.index(measure) if measure in form.measures else len(form.measures)
    measures = form.measures if place < len(form.measures) else (*form.measures, measure)
    return [replace(form, measures=measures, having=(*form.having, Having(place, how, float(limit))))]


def _having_of(form: Form, value: tuple[Ref, tuple[Measure, Any, float]], table: Table) -> list[Form]:
    """Like `_having`, for “… only companies with at least 50 launches”, if the form has exactly these groups."""
    groups, having = value
    return _having(form, having, table) if form.groups == (groups,) else []


def _stepped(form: Form, value: tuple[Window, Ref], table: Table) -> list[Form]:
    """Add a measure along periods of one length: a moving average, or the change from each period to the next."""
    window, ref = value
    if form.show != "numbers" or form.window is not None:
        return []
    timed = [group for group in form.groups if is_time(group, table)]
    if timed and timed != [ref]:
        return []
    return [replace(form, window=window, groups=form.groups if timed else (ref, *form.groups))]


def _window(form: Form, window: Window, _table: Table) -> list[Form]:
    return [replace(form, window=window)] if form.show == "numbers" and form.window is None else []


def _chart(form: Form, mark: str, table: Table) -> list[Form]:
    if mark == "table":
        return [replace(form, chart=None)]
    drawn = drawn_as(form, mark, table)
    return [] if drawn is None else [drawn]


def _horizontal(form: Form, _: None, _table: Table) -> list[Form]:
    return (
        [replace(form, chart="bar", horizontal=True)] if form.chart in ("bar", None) and form.groups else []
    )


def _counted(form: Form, _: None, _table: Table) -> list[Form]:
    """Add “…? How many?”: change nothing, because an answer that lists rows also says how many there are."""
    return [form] if form.show in ("rows", "duplicates", "outliers", "missing", "values") else []


def _correlated(form: Form, _: None, _table: Table) -> list[Form]:
    """Add “… give me the correlation” to a form that computes a correlation."""
    return [form] if [measure.aggregate for measure in form.measures] == ["correlation"] else []


def _nothing(form: Form, _: None, _table: Table) -> list[Form]:
    return [form]


_ADD: dict[str, Any] = {
    "nothing": _nothing, **ADD_NUMBERS,
    "having": _having, "having of": _having_of, "stepped": _stepped, "also": _also, "only": _only,
    "correlated": _correlated, "counted": _counted,
    "each": _each, "by values": _each_period, "each period": _each_period,
    "split": _group, "timed": _timed,
    "group": _group, "over time": _over_time, "where": _where, "versus": _versus, "pair": _versus,
     "limit": _limit, "limit by": _limit_by, "sort": sort,
    "window": _window, "chart": _chart, "horizontal": _horizontal
}  # fmt: skip


def _names_rows(column: Column) -> bool:
    """Whether nearly every row has a different value in the column. Ranking within its groups then makes no sense."""
    return column.key and column.profile.distinct * 10 >= column.rows * 9
