"""Adds modifiers of numbers to a form: percent and shares, sums and averages, units, blanks. Pure."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.models.offline.form import SECONDS, Condition, Filter, Form, Measure, Ref, SpanUnit
from engine.models.offline.meanings import same_unit
from engine.models.offline.quoting import seconds_in
from engine.models.offline.schema import Table

__all__ = ["ADD_NUMBERS", "with_filters"]


def with_filters(form: Form, filters: tuple[Filter, ...]) -> Form:
    """Return a form with more filters, in an order that does not depend on the question."""
    every = dict.fromkeys((*form.filters, *filters))
    return replace(form, filters=tuple(sorted(every, key=repr)))


def _percent(form: Form, _: None, table: Table) -> list[Form]:
    """Add “in percent”: show a change in percent, or a share."""
    if form.show == "change" or (form.window is not None and form.window.kind == "percent change"):
        return [form]
    if form.window is not None and form.window.kind == "change":
        return [replace(form, window=replace(form.window, kind="percent change"))]
    if any(measure.share for measure in form.measures):
        return [form]
    return _share(form, None, table)


def _said_mean(form: Form, _: None, _table: Table) -> list[Form]:
    return (
        [form] if form.measures and all(m.aggregate in ("mean", "correlation") for m in form.measures) else []
    )


def _said_sum(form: Form, _: None, _table: Table) -> list[Form]:
    return (
        [form]
        if form.measures and all(m.aggregate in ("sum", "count", "distinct") for m in form.measures)
        else []
    )


def _combined(form: Form, _: None, _table: Table) -> list[Form]:
    """Add “… combined”: add up two sums; a form with a single sum or count is unchanged."""
    pair = form.measures
    plain = all(m.aggregate == "sum" and not m.operator and not m.share and m.per is None for m in pair)
    if len(pair) == 2 and plain:
        return [replace(form, measures=(replace(pair[0], operator="+", other=pair[1].of),))]
    return _said_sum(form, None, _table) if len(pair) == 1 else []


def _added_up(form: Form, _: None, _table: Table) -> list[Form]:
    """Add “… and what do they add up to”: accept the form only if it computes sums."""
    return [form] if form.measures and all(m.aggregate == "sum" for m in form.measures) else []


def _no_blanks(form: Form, _: None, table: Table) -> list[Form]:
    """Add “…, ignoring blanks”: leave out the rows whose grouping value is missing. Aggregates of a column ignore
    blanks anyway.
    """
    lacking = [ref for ref in form.groups if table.column(ref).profile.missing]
    present = tuple(Filter((Condition(replace(ref, grain=""), "present"),)) for ref in lacking)
    if form.show != "numbers" or not (form.groups or all(m.of is not None for m in form.measures)):
        return []
    return [with_filters(form, present)]


def _share(form: Form, _: None, _table: Table) -> list[Form]:
    if form.show != "numbers" or not form.groups or len(form.measures) != 1:
        return []
    measure = form.measures[0]
    return (
        [replace(form, measures=(replace(measure, share=True),))]
        if measure.aggregate in ("count", "sum")
        else []
    )


def _in_unit(form: Form, unit: str, table: Table) -> list[Form]:
    """Add “in minutes”, as in “longest flight in minutes”: the column must have that unit. Only times are converted."""
    known = next((name for name in SECONDS if name.removesuffix("s") == unit.removesuffix("s")), None)
    if known is not None and any(m.of is not None and m.of.until for m in form.measures):
        made = (
            replace(m, of=replace(m.of, unit=known)) if m.of is not None and m.of.until else m
            for m in form.measures
        )
        return [replace(form, measures=tuple(made))]
    if known is not None and (made_of := _converted(form, known, table)) is not None:
        return [made_of]
    refs: list[Ref | None] = [measure.of for measure in form.measures]
    refs += form.columns if form.show in ("histogram", "points", "rows") else ()
    refs += [form.order.by] if form.order is not None and isinstance(form.order.by, Ref) else []
    columns = [table.column(ref) for ref in refs if ref is not None]
    return [form] if any(same_unit(unit, column) and not column.lasting for column in columns) else []


def _converted(form: Form, unit: SpanUnit, table: Table) -> Form | None:
    """Return a form in which times such as `duration_sec` have another unit; None if it measures anything else."""
    made = []
    for measure in form.measures:
        column = None if measure.of is None else table.column(measure.of)
        seconds = None if column is None or not column.unit else seconds_in(column.name)
        if form.show != "numbers" or measure.of is None or measure.operator or seconds is None:
            return None
        same = seconds == SECONDS[unit]
        made.append(measure if same else replace(measure, of=replace(measure.of, unit=unit)))
    return replace(form, measures=tuple(made)) if made else None


def _that_share(form: Form, _: None, _table: Table) -> list[Form]:
    """Add “and what percent is that”, after “how many have no price”: the rows that meet the conditions, as a share of
    all rows.
    """
    if (
        form.show != "numbers"
        or form.groups
        or form.measures != (Measure("count"),)
        or len(form.filters) != 1
    ):
        return []
    return [replace(form, measures=(Measure("count", share=True, where=form.filters),), filters=())]


ADD_NUMBERS: dict[str, Callable[[Form, Any, Table], list[Form]]] = {
    "percent": _percent, "said mean": _said_mean, "said sum": _said_sum, "combined": _combined, "added up": _added_up,
    "no blanks": _no_blanks, "as share": _share, "in unit": _in_unit, "that share": _that_share
}  # fmt: skip
