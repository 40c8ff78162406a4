"""Chooses among readings that differ only in their date columns. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.models.offline.clock import clocks_at
from engine.models.offline.column_naming import DATE_TAIL
from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Form
from engine.models.offline.items import Item
from engine.models.offline.periods import periods_at
from engine.models.offline.schema import Table, is_time
from engine.models.offline.value_index import Value
from engine.models.offline.vocabulary import words
from engine.models.offline.words import Token, past, related, value_words

__all__ = ["of_end", "of_main_date", "of_named_date", "of_one_time", "once", "or_happened"]


def of_main_date(forms: tuple[Form, ...], table: Table, tokens: Sequence[Token]) -> tuple[Form, ...]:
    """If forms differ only in a date column that the question does not name, keep the form with the column that has a
    date in every row.

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


def of_named_date(forms: tuple[Form, ...], table: Table, tokens: Sequence[Token]) -> tuple[Form, ...]:
    """Apply a period without a column to the date by which a form groups, if the question mentions only that date: “per
    check-in month in 2023” is not about the dates of booking.
    """
    return tuple(dict.fromkeys(_at_named_date(form, table, tokens) for form in forms))


def _at_named_date(form: Form, table: Table, tokens: Sequence[Token]) -> Form:
    groups = [ref for ref in form.groups if table.column(ref).role == "date"]
    timed = [c for c in _timed(form, table) if table.column(c.of).role == "date"]
    own, other = {table.column(ref) for ref in groups}, {table.column(c.of) for c in timed}
    if len(own) != 1 or len(other) != 1 or own == other:
        return form
    (named,), (meant,) = own, other
    if not _is_named(named, meant, tokens) or _is_named(meant, named, tokens):
        return form
    return _moved(form, timed, named)


def _moved(form: Form, conditions: Sequence[Condition], to: Column) -> Form:
    """Return a form with some conditions moved to another column."""
    moved = {c: replace(c, of=replace(to.ref, grain=c.of.grain)) for c in conditions}
    filters = tuple(replace(f, any=tuple(moved.get(c, c) for c in f.any)) for f in form.filters)
    return replace(form, filters=filters)


def _is_named(column: Column, other: Column, tokens: Sequence[Token]) -> bool:
    """Return whether the question contains a word from one column's name that is not in the other's name."""
    apart = set(column.words) - set(other.words) - DATE_TAIL
    return any(related(token.word, word) == 0 for token in tokens for word in apart)


def of_end(forms: tuple[Form, ...], table: Table, tokens: Sequence[Token]) -> tuple[Form, ...]:
    """If a time follows a verb such as “ended”, move the condition to the end column: “ended after 8 pm” is not about
    the start. Remove a form if it is unclear which condition or which column is meant.

    If the question has a verb such as “started”, remove forms about the end, unless no form would be left.
    """
    if _is_followed_by_a_time(tokens, _ENDED):
        return tuple(dict.fromkeys(made for form in forms if (made := _at_the_end(form, table)) is not None))
    if any(token.word in _BEGUN for token in tokens):
        begun = tuple(form for form in forms if not any(map(_is_end, _times_of(form, table))))
        return begun or forms
    return forms


def _times_of(form: Form, table: Table) -> list[Column]:
    """Return the columns of times that a form groups by or compares."""
    grouped = [table.column(ref) for ref in form.groups]
    return [c for c in grouped if _is_timed(c)] + [table.column(c.of) for c in _timed(form, table)]


def _is_followed_by_a_time(tokens: Sequence[Token], verbs: frozenset[str]) -> bool:
    for start in (at for at, token in enumerate(tokens) if token.word in verbs):
        after = start + 1
        while after < len(tokens) and tokens[after].word in _BEFORE_TIMES:
            after += 1
        if after < len(tokens) and any((*clocks_at(list(tokens), after), *periods_at(list(tokens), after))):
            return True
    return False


def _at_the_end(form: Form, table: Table) -> Form | None:
    timed = _timed(form, table)
    if all(_is_end(table.column(c.of)) for c in timed):
        return form
    of = timed[0].of
    daytime = of.grain == "time of day"
    ends = [c for c in table.columns if _is_end(c) and c.table == of.table and (daytime or c.role == "date")]
    if not ends:
        begins = bool(_BEGINNINGS & set(table.column(of).all_words))
        return None if begins or daytime else form
    if len(ends) > 1 or len({c.of for c in timed}) > 1:
        return None
    return _moved(form, timed, ends[0])


def _timed(form: Form, table: Table) -> list[Condition]:
    return [c for f in form.filters for c in f.any if _is_timed(table.column(c.of))]


def _is_end(column: Column) -> bool:
    return _is_timed(column) and bool(_ENDS & set(column.all_words))


def _is_timed(column: Column) -> bool:
    return column.role == "date" or column.clock


_ENDED, _BEGUN = words("verbs of ends"), words("verbs of beginnings")
_ENDS = words("columns of ends")
_BEGINNINGS = words("starts")
_BEFORE_TIMES = frozenset({
    "in", "on", "at", "before", "after", "between", "by", "from", "since", "until", "during", "the", "or", "later",
    "earlier", "than",
})  # fmt: skip


def or_happened(forms: tuple[Form, ...], items: Mapping[int, Sequence[Item]]) -> tuple[Form, ...]:
    """For a value that may also be meant as a verb, add readings without the condition on it: “applied” may be a stage,
    or something that all people in the table did.
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
    """Whether a value describes an event with its own date, such as “Returned”, or “Adoption” as an outcome."""
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
    """Remove forms that list the columns or the groups of another form in a different order."""
    found: dict[Form, Form] = {}
    for form in forms:
        columns = tuple(sorted(form.columns, key=str)) if form.show == "rows" else form.columns
        groups = form.groups if form.within else tuple(sorted(form.groups, key=str))
        found.setdefault(replace(form, columns=columns, groups=groups), form)
    return tuple(found.values())


def of_one_time(forms: tuple[Form, ...], table: Table) -> tuple[Form, ...]:
    """Remove each form that equals another form except that it uses more date columns.

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
