"""The parts of a form as chips, in the order of a sentence."""

from collections.abc import Iterator, Sequence
from typing import Literal

from engine.models.offline.form import Form
from engine.models.offline.wording import (
    chart_words,
    column_words,
    filter_words,
    having_words,
    measure_words,
    order_words,
    ref_words,
)
from engine.workspace.table_facts import TableProfile
from events.late_dataclass import dataclass

__all__ = ["Chip", "parts_of"]

Kind = Literal[
    "table", "measure", "columns", "group", "filter", "having", "order", "limit", "window", "chart", "add"
]


@dataclass(frozen=True, slots=True)
class Chip:
    """One part of a form, and its place among the parts of the same kind."""

    kind: Kind
    lead: str
    text: str
    place: int = 0


def parts_of(form: Form, tables: Sequence[TableProfile]) -> Iterator[Chip]:
    """Yield the chips of a form in the order of a sentence."""
    if len(tables) > 1 or form.joins:
        joined = "".join(f" with {join.table}" for join in form.joins)
        yield Chip("table", "from", f"{form.table}{joined}")
    if form.show == "numbers":
        for place, measure in enumerate(form.measures):
            yield Chip("measure", "and" if place else "", measure_words(measure), place)
            for found in measure.where:
                yield Chip("columns", "whose", filter_words(found), place)
    else:
        names = ", ".join(column_words(ref) for ref in form.columns)
        shown = {"rows": names or "all columns", "columns": "columns", "missing": "missing values"}.get(
            form.show
        )
        yield Chip("columns", "", shown or f"{form.show} of {names}" if names or shown else form.show)
    for place, ref in enumerate(form.groups):
        yield Chip("group", "and" if place else "by", ref_words(ref), place)
    for place, found in enumerate(form.filters):
        yield Chip("filter", "and" if place else "where", filter_words(found), place)
    for place, having in enumerate(form.having):
        yield Chip("having", "and" if place else "with", having_words(form, having), place)
    if form.window is not None:
        yield Chip("window", "", form.window.kind)
    if form.order is not None:
        yield Chip("order", "", order_words(form.order, form) or "sorted")
    if form.limit is not None:
        bottom = form.order is not None and not form.order.descending
        yield Chip("limit", "", f"{'bottom' if bottom else 'top'} {form.limit}")
    if form.show in ("numbers", "points", "histogram") and (form.groups or form.chart):
        yield Chip("chart", "as", chart_words(form) if form.chart else "table")
    yield Chip("add", "", "+")
