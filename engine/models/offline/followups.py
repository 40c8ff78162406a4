"""Applies a follow-up to the form of the previous question: “and by month?”, “only 2024”, “as bars”."""

from collections.abc import Sequence
from dataclasses import replace

from engine.models.offline.assembling import Assembling
from engine.models.offline.checks import checked
from engine.models.offline.form import Filter, Form, Measure, Ref
from engine.models.offline.heads import FLAGS, HEADS
from engine.models.offline.meanings import Part
from engine.models.offline.merging import added, with_filters
from engine.models.offline.schema import Table, is_time

__all__ = ["followed"]


def followed(previous: Form, parts: Sequence[Part], assembling: Assembling) -> list[tuple[Form, int]]:
    """Return the forms that a follow-up makes from `previous`, each with its cost."""
    heads = [part for part in parts if part.kind in HEADS]
    mods = [part for part in parts if part.kind not in HEADS | FLAGS | {"skip", "again", "dangling"}]
    table = assembling.table
    found: list[Form] = [previous]
    cost = 0
    if heads and all(part.kind == "noun" for part in heads):
        mods = [*(Part("where", part.value.filters) for part in heads if part.value.filters), *mods]
        if any(part.kind == "how many" for part in parts):
            found = _core(previous, Form(table.name, table.joins, measures=(Measure("count"),)))
    elif (other := _correlated(previous, heads)) is not None:
        found = [other]
    elif heads:
        asked = assembling.forms(parts)
        found = [form for core, _ in asked for form in _core(previous, core)]
        mods = []
    elif any(part.kind == "how many" for part in parts):
        found = _core(previous, Form(table.name, table.joins, measures=(Measure("count"),)))
    for one in mods:
        found = [after for before in found for after in _changed(before, one, table)]
    return [(form, cost) for form in found if form != previous and checked(form, table)]


def _correlated(previous: Form, heads: Sequence[Part]) -> Form | None:
    """Read “and with the unemployment rate?” after a question about a correlation: correlate with that column."""
    before = previous.measures[0] if previous.measures else None
    said = heads[0].value if len(heads) == 1 and heads[0].kind == "measures" else None
    if before is None or before.aggregate != "correlation" or said is None or said.bare is None:
        return None
    column = said.bare.column.ref
    if said.bare.operator or said.filters or column in (before.of, before.other):
        return None
    return replace(previous, measures=(replace(before, other=column),))


def _core(previous: Form, form: Form) -> list[Form]:
    """Return the previous form with another measure, but the same rows and groups."""
    if previous.joins != form.joins or form.show != "numbers" or previous.show not in ("numbers", "rows"):
        return []
    kept = with_filters(form, tuple(f for f in previous.filters if not _same_columns(f, form)))
    if not form.groups and previous.show == "numbers":
        kept = replace(kept, groups=previous.groups, chart=form.chart or previous.chart)
        kept = _ranked_alike(kept, previous)
    return [kept]


def _ranked_alike(form: Form, previous: Form) -> Form:
    """After “top 5 streets by tickets”, read “by fines instead” as the top five streets, ranked by the new measure."""
    order = previous.order
    ranks = order is not None and isinstance(order.by, int) and previous.limit is not None
    if (
        not ranks
        or order is None
        or form.order is not None
        or form.limit is not None
        or len(form.measures) != 1
    ):
        return form
    return replace(
        form, order=replace(order, by=0), limit=previous.limit, within=previous.within, ties=previous.ties
    )


def _turned(form: Form) -> list[Form]:
    """Read “the other way round”: reverse the order, or exchange the values of two conditions."""
    if form.order is not None:
        return [replace(form, order=replace(form.order, descending=not form.order.descending))]
    equal = [
        f for f in form.filters if len(f.any) == 1 and f.any[0].compare == "=" and len(f.any[0].values) == 1
    ]
    if len(equal) != 2 or equal[0].any[0].of == equal[1].any[0].of:
        return []
    one, two = (f.any[0] for f in equal)
    swapped = (Filter((replace(one, values=two.values),)), Filter((replace(two, values=one.values),)))
    rest = tuple(f for f in form.filters if f not in equal)
    return [with_filters(replace(form, filters=rest), swapped)]


def _shared(form: Form, filters: tuple[Filter, ...]) -> Form | None:
    """Read “and townhouses?”, after “what share were condos?”, as the share of another part of the whole."""
    shares = [m for m in form.measures if m.share and m.where]
    old = [c.of.column for m in shares for f in m.where for c in f.any]
    new = [c.of.column for f in filters for c in f.any]
    if len(shares) != 1 or not new or old != new:
        return None
    return replace(form, measures=(replace(shares[0], where=filters),))


def _same_columns(filter_: object, form: Form) -> bool:
    of = {condition.of.column for found in form.filters for condition in found.any}
    return any(condition.of.column in of for condition in filter_.any)  # type: ignore[attr-defined]


def _kept(form: Form, part: Part, table: Table) -> tuple[tuple[Ref, ...], int]:
    """Return the groups that remain if a follow-up mentions new groups, and the position at which the new groups are
    inserted. A new time replaces only the old time.
    """

    def timed(ref: Ref) -> bool:
        return (bool(ref.grain) and ref.grain != "presence") or is_time(ref, table)

    new = {timed(ref) for ref in part.value}
    kept = tuple(ref for ref in form.groups if timed(ref) not in new)
    if len(new) > 1 or not any(timed(ref) for ref in form.groups):
        return (), 0
    gone = next((place for place, ref in enumerate(form.groups) if ref not in kept), len(kept))
    return kept, gone


def _changed(form: Form, part: Part, table: Table) -> list[Form]:
    if part.kind == "turned":
        return _turned(form)
    if part.kind in ("where", "relative", "predicate"):
        part = replace(part, kind="where")
        if (shared := _shared(form, part.value)) is not None:
            return [shared]
        of = {c.of.column for f in part.value for c in f.any}
        kept = tuple(f for f in form.filters if not any(c.of.column in of for c in f.any))
        return added(replace(form, filters=kept), (part,), table)
    if part.kind == "over time":
        part = replace(part, kind="group")
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
