"""Chooses the readings that use the columns whose names contain words of the question. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form, Ref, refs_of
from engine.models.offline.items import Item
from engine.models.offline.meanings import same_unit
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import GRAIN_ADJECTIVES, words
from engine.models.offline.words import Token, alike, base_forms, past, same_family

__all__ = ["of_amounts", "of_dated_groups", "of_named_columns", "of_one_period"]

_MASSES = words("masses of money")
_PERIODS = ("week", "month", "quarter", "year", "decade")
_ANY_WORDS = words("units") | {"date", "time", "at", "on", "total", "number", "count", "name", "id"}
"""Words that do not show which column is meant, because many column names contain them."""


def of_named_columns(
    forms: tuple[Form, ...], table: Table, tokens: Sequence[Token], items: Mapping[int, Sequence[Item]]
) -> tuple[Form, ...]:
    """If forms differ only in their columns, keep the forms whose column names share the most words with the
    question.

    “Which day did we sell the most croissants” is about `quantity_sold`, not `quantity_baked`; “dogs born before 2018”
    is about `birth_date`, not `show_date`. Words that are also values are ignored.
    """
    if len(forms) < 2 or len({_shape(form) for form in forms}) > 1:
        return forms
    used = [_columns(form) for form in forms]
    common = frozenset[str]().union(*(_words(ref, table) for ref in frozenset.intersection(*used)))
    said = {
        token.word
        for at, token in enumerate(tokens)
        if token.word not in _ANY_WORDS and not any(item.kind == "val" for item in items.get(at, ()))
    }
    told = []
    for refs in used:
        own = frozenset[str]().union(*(_words(ref, table) for ref in refs)) - common - _ANY_WORDS
        told.append(sum(any(alike(word, other) for other in own) for word in said))
    return tuple(form for form, count in zip(forms, told, strict=True) if count == max(told))


def of_amounts(forms: tuple[Form, ...], table: Table, tokens: Sequence[Token]) -> tuple[Form, ...]:
    """If two forms are the sum and the average of an amount of money, keep the sum if the question mentions the amounts
    in the plural or by period: “fees by client”, “monthly spend”.
    """
    ways = [form.measures[0] for form in forms if len(form.measures) == 1 and form.measures[0].of is not None]
    alike_but = {replace(form, measures=()) for form in forms}
    if len(ways) != len(forms) or len(alike_but) > 1 or {m.aggregate for m in ways} != {"sum", "mean"}:
        return forms
    column = table.column(ways[0].of) if ways[0].of is not None else None
    if column is None or len({m.of for m in ways}) > 1:
        return forms
    said = {token.word for token in tokens}
    money = same_unit("$", column)
    plural = any(
        word.endswith("s")
        and (base_forms(word) & {*column.words} - {word} if money else _counts(word, column))
        for word in said
    )
    if plural or (money and said & (GRAIN_ADJECTIVES | _MASSES | {"amount", "amounts"})):
        return tuple(form for form, way in zip(forms, ways, strict=True) if way.aggregate == "sum")
    return forms


def _counts(word: str, column: Column) -> bool:
    """Return whether a plural names what a column counts: “withdrawals” for `Withdrawn`."""
    counted = column.whole and column.adds is None and len(column.words) == 1 and past(column.words[0])
    name = column.words[0]
    return counted and (same_family(word, name) or (len(name) > 6 and word[:6] == name[:6]))


def _shape(form: Form) -> Form:
    """Return a form without the names of its columns, to see whether forms differ in anything else."""
    blank = Ref("")
    return replace(
        form,
        measures=tuple(replace(m, of=None if m.of is None else blank, where=()) for m in form.measures),
        groups=tuple(replace(blank, grain=ref.grain) for ref in form.groups),
        filters=tuple(
            Filter(tuple(replace(c, of=replace(blank, grain=c.of.grain), other=None) for c in f.any))
            for f in form.filters
        ),
        columns=tuple(blank for _ in form.columns) if form.show != "rows" else (),
        order=None if form.order is None else replace(form.order, by=0),
        within=(),
    )


def _columns(form: Form) -> frozenset[Ref]:
    return frozenset(Ref(ref.column, ref.table) for ref in refs_of(form))


def _words(ref: Ref, table: Table) -> frozenset[str]:
    return frozenset(table.column(ref).all_words)


def of_dated_groups(form: Form) -> Form:
    """If the last group of a form only says to which date column the form's periods belong, use that column for the
    periods and remove the group: “total cost per year, by start date”.
    """
    last = form.groups[-1] if form.groups else None
    if last is None or last.grain != "day" or form.within or form.show != "numbers" or form.window:
        return form
    periods = [ref for ref in form.groups[:-1] if ref.grain in _PERIODS]
    if len(periods) != 1:
        return form
    groups = (replace(last, grain=ref.grain) if ref in periods else ref for ref in form.groups[:-1])
    return replace(form, groups=tuple(groups))


def of_one_period(form: Form, table: Table, tokens: Sequence[Token]) -> Form:
    """If a form groups twice by the same period, remove the group whose date column the question does not name:
    “monthly price by arrival month” has one month.
    """
    periods = [ref for ref in form.groups if ref.grain in _PERIODS]
    if len(periods) != 2 or periods[0].grain != periods[1].grain or form.within:
        return form
    names = [set(table.column(ref).words) - _ANY_WORDS for ref in periods]
    said = [any(alike(token.word, word) for token in tokens for word in own) for own in names]
    if said[0] == said[1]:
        return form
    return replace(form, groups=tuple(ref for ref in form.groups if ref is not periods[said.index(False)]))
