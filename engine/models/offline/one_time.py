"""Chooses among readings that differ only in their dates. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.models.offline.column_naming import DATE_TAIL
from engine.models.offline.form import Condition, Form
from engine.models.offline.items import Item
from engine.models.offline.schema import Table, is_time
from engine.models.offline.value_index import Value
from engine.models.offline.words import Token, past, related, value_words

__all__ = ["of_main_date", "of_one_time", "once", "or_happened"]


def of_main_date(forms: tuple[Form, ...], table: Table, tokens: Sequence[Token]) -> tuple[Form, ...]:
    """If forms differ only in a date that the question does not name, keep the form with the date that every row has.

    All forms are kept if a word or a value in the question may refer to another date: “delivered”, or a status.
    """
    own = [c for c in table.dates if not c.table]
    every = [c for c in own if not c.profile.missing]
    if len(forms) < 2 or len(every) != 1 or len(own) < 2:
        return forms
    main = every[0]
    others = [c for c in table.dates if c is not main]
    named = {word for column in others for word in column.words} - DATE_TAIL
    if any(related(token.word, word) == 0 for token in tokens for word in named):
        return forms
    if any(_tells_when(c, table, named) for form in forms for f in form.filters for c in f.any):
        return forms
    kept = tuple(form for form in forms if _dates(form, table) <= {main.name})
    return kept if any(_dates(form, table) for form in kept) else forms


def or_happened(forms: tuple[Form, ...], items: Mapping[int, Sequence[Item]]) -> tuple[Form, ...]:
    """Add readings in which a value is meant as a verb: “applied” is a stage, or something that the people in all rows
    did.
    """
    columns = {item.meaning for found in items.values() for item in found if item.kind == "col"}
    values = {
        item.meaning.text
        for found in items.values()
        if any(other.kind == "_done" for other in found)
        for item in found
        if isinstance(item.meaning, Value) and item.meaning.column not in columns
    }
    made = list(forms)
    for form in forms:
        kept = tuple(f for f in form.filters if not any(set(c.values) & values for c in f.any))
        if kept != form.filters:
            made.append(replace(form, filters=kept))
    return tuple(dict.fromkeys(made))


def _tells_when(condition: Condition, table: Table, named: set[str]) -> bool:
    """Whether a value says that something happened which has its own date, such as “Returned”, or “Adoption” as an
    outcome.
    """
    column = table.column(condition.of)
    if column.role != "text" or condition.compare in ("missing", "present"):
        return False
    done = any(past(word) for value in condition.values for word in value_words(str(value)))
    return done or bool(named & set(column.words))


def _dates(form: Form, table: Table) -> set[str]:
    refs = (*form.groups, *form.columns, *(c.of for f in form.filters for c in f.any))
    refs += tuple(measure.of for measure in form.measures if measure.of is not None)
    return {ref.column for ref in refs if table.column(ref).role == "date"}


def once(forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """Remove forms that list the columns of another form in a different order."""
    found: dict[Form, Form] = {}
    for form in forms:
        columns = tuple(sorted(form.columns, key=str)) if form.show == "rows" else form.columns
        found.setdefault(replace(form, columns=columns), form)
    return tuple(found.values())


def of_one_time(forms: tuple[Form, ...], table: Table) -> tuple[Form, ...]:
    """Remove forms that differ from another one only because they use more dates.

    Months and years in one question belong to the same date, unless the question says otherwise.
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
