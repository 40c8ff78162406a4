"""Applies a follow-up to the form of the question before: “and by month?”, “only 2024”, “as bars”."""

from dataclasses import replace

from engine.models.offline.checks import checked
from engine.models.offline.form import Form, Measure, Ref
from engine.models.offline.meanings import Part
from engine.models.offline.merging import added, with_filters
from engine.models.offline.schema import Table, is_time

__all__ = ["followed"]


def followed(previous: Form, part: Part, table: Table) -> list[Form]:
    """Return the forms that a follow-up makes of `previous`."""
    if part.kind == "core":
        found = _core(previous, part.value)
    else:
        found = [previous]
        for one in _flat(part):
            found = [after for before in found for after in _changed(before, one, table)]
    return [form for form in found if form != previous and checked(form, table)]


def _flat(part: Part) -> list[Part]:
    if part.kind != "parts":
        return [part]
    return [inner for one in part.value if isinstance(one, Part) for inner in _flat(one)]


def _core(previous: Form, form: Form) -> list[Form]:
    """Another measure over the same rows and groups."""
    if previous.joins != form.joins or form.show != "numbers" or previous.show not in ("numbers", "rows"):
        return []
    kept = with_filters(form, tuple(f for f in previous.filters if not _same_columns(f, form)))
    if not form.groups and previous.show == "numbers":
        kept = replace(kept, groups=previous.groups, chart=form.chart or previous.chart)
    return [kept]


def _same_columns(filter_: object, form: Form) -> bool:
    of = {condition.of.column for found in form.filters for condition in found.any}
    return any(condition.of.column in of for condition in filter_.any)  # type: ignore[attr-defined]


def _kept(form: Form, part: Part, table: Table) -> tuple[tuple[Ref, ...], int]:
    """The groups that stay when a follow-up names others, and where those go: another time replaces only the time."""

    def timed(ref: Ref) -> bool:
        return bool(ref.grain) or is_time(ref, table)

    new = {timed(ref) for ref in part.value}
    kept = tuple(ref for ref in form.groups if timed(ref) not in new)
    if len(new) > 1 or not any(timed(ref) for ref in form.groups):
        return (), 0
    gone = next((place for place, ref in enumerate(form.groups) if ref not in kept), len(kept))
    return kept, gone


def _changed(form: Form, part: Part, table: Table) -> list[Form]:
    if part.kind == "turned":
        order = form.order
        return [] if order is None else [replace(form, order=replace(order, descending=not order.descending))]
    if part.kind == "core":
        return _core(form, part.value)
    if part.kind == "where":
        of = {c.of.column for f in part.value for c in f.any}
        kept = tuple(f for f in form.filters if not any(c.of.column in of for c in f.any))
        return added(replace(form, filters=kept), (part,), table)
    if part.kind == "group" and form.show == "numbers":
        order = form.order if form.limit is not None else None
        stays, place = _kept(form, part, table)
        plain = replace(form, groups=(), order=order, compares="", limit=None, within=())
        bases = [plain]
        if any(measure.share and measure.where for measure in form.measures):
            bases.append(
                replace(plain, measures=tuple(replace(measure, where=()) for measure in form.measures))
            )
        made = [after for base in bases for after in added(base, (part,), table)]
        return [
            replace(
                one, groups=(*stays[:place], *one.groups, *stays[place:]), limit=form.limit, ties=form.ties
            )
            for one in made
        ]
    if part.kind == "aggregate":
        able = form.measures and form.measures[0].of is not None and form.measures[0].aggregate != "distinct"
        measures: tuple[Measure, ...] = tuple(replace(m, aggregate=part.value) for m in form.measures[:1])
        return [replace(form, measures=measures)] if able else []
    if part.kind == "sort" and form.order is not None:
        return added(replace(form, order=None, limit=None), (part,), table)
    if part.kind in ("chart", "horizontal"):
        return added(replace(form, chart=None, horizontal=False), (part,), table)
    return added(form, (part,), table)
