"""Chooses among readings that differ only by the dates that they speak of. Pure."""

from dataclasses import replace

from engine.models.offline.form import Form
from engine.models.offline.schema import Table, is_time

__all__ = ["of_one_time"]


def of_one_time(forms: tuple[Form, ...], table: Table) -> tuple[Form, ...]:
    """Return forms without those that differ from another only by speaking of more dates.

    Months and years of one question are of one date, unless it says otherwise.
    """
    if len(forms) < 2:
        return forms
    alike: dict[tuple[object, ...], list[tuple[int, Form]]] = {}
    for form in forms:
        conditions = [c for f in form.filters for c in f.any]
        refs = [*form.groups, *(c.of for c in conditions)]
        times = {ref.column for ref in refs if is_time(ref, table)}
        same = replace(form, groups=tuple(ref for ref in form.groups if not is_time(ref, table)), filters=())
        other = [str(c) for c in conditions if not is_time(c.of, table)]
        values = [value for c in conditions if is_time(c.of, table) for value in map(str, c.values)]
        alike.setdefault((same, len(form.groups), *other, *values), []).append((len(times), form))
    kept = {
        form for group in alike.values() for n, form in group if n == min(group, key=lambda one: one[0])[0]
    }
    return tuple(form for form in forms if form in kept)
