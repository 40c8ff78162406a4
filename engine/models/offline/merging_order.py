"""Adds an order to a form. Pure."""

from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.form import Form, Order, Ref
from engine.models.offline.meanings import Expression, Measures
from engine.models.offline.schema import Table, is_time

__all__ = ["sort"]


def _sort_said(form: Form, how: Adjective, table: Table) -> list[Form]:
    """Add “…, wettest first”: sort by the measure in the direction that the adjective means for it."""
    of = form.measures[0].of if form.measures else None
    column = None if of is None else table.column(of)
    able = {one.ref for one in how.able}
    if form.show == "rows":
        return _rows_said(form, how)
    if form.show != "numbers" or not form.groups or len(form.measures) != 1:
        return []
    if form.order is not None and form.limit is not None:
        return []
    if (able and of not in able) or (how.counts and form.measures[0].aggregate != "count"):
        return []
    signs = how.signs(column)
    return [replace(form, order=Order(0, signs[0] > 0))] if len(signs) == 1 else []


def _rows_said(form: Form, how: Adjective) -> list[Form]:
    """Add “…, heaviest first” to rows: sort them by the column that the adjective compares."""
    able = form.order is None and len(how.columns) == 1 and how.columns[0].measure
    return [replace(form, order=Order(how.columns[0].ref, how.direction > 0))] if able else []


def sort(form: Form, value: tuple[Any, str | None], table: Table) -> list[Form]:
    """Add an order: by a number, a column or a time, or by the column that an adjective describes."""
    key, way = value
    if way == "sorted" and any(is_time(ref, table) for ref in form.groups):
        return [form]
    way = "descending" if way == "sorted" else way
    if isinstance(key, Adjective):
        return _sort_said(form, key, table)
    if form.order is not None and form.limit is not None and key is not None:
        return []
    if form.show == "rows":
        column = key.column if isinstance(key, Expression) else key if isinstance(key, Column) else None
        if key is None and form.order is not None:
            return [replace(form, order=replace(form.order, descending=way != "ascending"))]
        return [replace(form, order=Order(column.ref, way == "descending"))] if column is not None else []
    if form.show != "numbers" or not form.groups:
        return []
    return [replace(form, order=order) for order in _orders(form, key, way)]


def _orders(form: Form, key: Any, way: str | None) -> list[Order]:
    if key is None:
        return [Order(0, way == "descending")]
    if isinstance(key, Column):
        return (
            [Order("groups", way == "descending")]
            if any(ref.column == key.name for ref in form.groups)
            else []
        )
    wanted: set[Ref | None] = {key.column.ref} if isinstance(key, Expression) else set()
    wanted |= {m.of for m in key.measures} if isinstance(key, Measures) else set()
    places = [n for n, m in enumerate(form.measures) if m.of in wanted]
    return [Order(places[0], way != "ascending")] if places else []
