"""Chooses among readings by what people usually mean. Pure."""

from dataclasses import replace

from engine.models.offline.columns import Column
from engine.models.offline.form import Form, Measure
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words

__all__ = ["of_rows", "of_usual_measures"]

_AVERAGED = words("always averaged")
"""Words in the names of columns whose highest and lowest values say little, because many rows share them: ratings,
shares, rates."""
_PERSONS = words("persons")
_EXTREMES = frozenset({"max", "min"})
_REPEATED = 1.2
"""If each value of a column is in at least this many rows on average, the number of rows is not taken for the number of
values."""


def of_usual_measures(forms: tuple[Form, ...], table: Table) -> tuple[Form, ...]:
    """If forms differ only in one measure, keep the forms whose measure people usually mean.

    The best reviews of a hotel are the best on average, not a single review; and majors are counted by their names, not
    by rows or by codes.
    """
    measures = [form.measures[0] for form in forms if len(form.measures) == 1]
    if (
        len(forms) < 2
        or len(measures) < len(forms)
        or len({replace(form, measures=()) for form in forms}) > 1
    ):
        return forms
    kept = set(_averages(_named(measures, table), table))
    return tuple(form for form in forms if form.measures[0] in kept)


def of_rows(forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """If one form shows the highest value of a column and another form shows the row with this value, keep only the
    row, which shows both.
    """
    rows = {found for form in forms if (found := _row_found(form)) is not None}
    return tuple(form for form in forms if _value_found(form) not in rows)


def _row_found(form: Form) -> tuple[object, ...] | None:
    """If a form shows the row with an extreme value, return its conditions, column and direction; else None."""
    if form.show != "rows" or form.limit != 1 or form.within or form.order is None:
        return None
    return form.filters, form.order.by, form.order.descending


def _value_found(form: Form) -> tuple[object, ...]:
    """If a form shows only an extreme value, return its conditions, column and direction; else an empty tuple."""
    alone = form.show == "numbers" and not form.groups and len(form.measures) == 1 and form.chart is None
    if not alone or form.measures[0].operator or form.measures[0].aggregate not in _EXTREMES:
        return ()
    return form.filters, form.measures[0].of, form.measures[0].aggregate == "max"


def _averages(measures: list[Measure], table: Table) -> list[Measure]:
    """Remove the highest and the lowest value of a rating if its average is also among the measures."""
    means = {measure.of for measure in measures if measure.aggregate == "mean"}
    return [
        measure
        for measure in measures
        if measure.aggregate not in _EXTREMES
        or measure.of is None
        or measure.of not in means
        or _AVERAGED.isdisjoint(table.column(measure.of).all_words)
    ]


def _named(measures: list[Measure], table: Table) -> list[Measure]:
    """If a measure counts different names, remove the measures that count codes of the same things and, if names
    repeat, the measures that count rows."""
    distinct = [measure for measure in measures if measure.aggregate == "distinct" and measure.of is not None]
    columns = [table.column(measure.of) for measure in distinct if measure.of is not None]
    names = [column for column in columns if _is_name(column)]
    if len(names) != 1 or any(measure.where or measure.share for measure in measures):
        return measures
    name = names[0]
    codes = {c.ref for c in columns if c.key and c.profile.distinct == name.profile.distinct}
    repeated = name.profile.distinct * _REPEATED <= name.rows - name.profile.missing
    return [m for m in measures if m.of not in codes and not (repeated and m == Measure("count"))]


def _is_name(column: Column) -> bool:
    """Whether a column's texts are names made of letters, and not numbers of flights or orders. Names of people do not
    count, because two people can have the same name.
    """
    values = () if _PERSONS & set(column.words) else column.profile.values
    lettered = sum(not any(letter.isdigit() for letter in value) for value in values)
    return column.role == "text" and not column.key and bool(values) and 2 * lettered > len(values)
