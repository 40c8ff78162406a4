"""Writes answers about rows and values: counts, highest values and lists."""

from engine.models.offline.form import Form, Ref
from engine.models.offline.people import person_names
from engine.models.offline.results import Result, Row, label, number
from engine.models.offline.schema import Table
from engine.models.offline.wording import column_words, ref_words, where_words
from events.json_value import JSON

__all__ = ["FEW", "listed", "value_words"]

FEW = 8
"""The maximum number of rows that an answer lists."""


def value_words(value: JSON) -> str:
    """Return a value of a result as text."""
    return number(value) if isinstance(value, int | float) else label(value)


def listed(form: Form, table: Table, result: Result) -> str:
    """Return the answer for rows, values, missing values, duplicates and outliers."""
    if form.show == "missing":
        parts = [f"{row.get('column')} {number(row.get('missing'))}" for row in result.rows]
        return (
            f"Columns of `{form.table}` with missing values{where_words(form.filters)}: {', '.join(parts)}."
        )
    if form.show == "values":
        column = form.columns[0]
        values = ", ".join(label(row.get(column.name)) for row in result.rows[:40])
        more = f" and {result.total - 40:,} more" if result.total > 40 else ""
        many = f"{result.total:,} different values{where_words(form.filters)}"
        return f"{column_words(column)} has {many}: {values}{more}."
    if form.show == "rows" and form.limit == 1 and form.order is not None and isinstance(form.order.by, Ref):
        return _extreme_rows(form, table, result)
    shown = f"**{result.total:,}** {'row' if result.total == 1 else 'rows'}"
    if form.show == "outliers":
        many = f"{column_words(form.columns[0])} has **{result.total:,}** outliers{where_words(form.filters)}"
        return f"{many}: values more than 1.5 times the interquartile range beyond the quartiles."
    if form.show == "duplicates":
        return _repeated(form, result)
    if (
        form.show == "rows"
        and form.limit is not None
        and form.order is not None
        and isinstance(form.order.by, Ref)
    ):
        end = "highest" if form.order.descending else "lowest"
        by = column_words(form.order.by)
        return f"{shown} of `{form.table}`{where_words(form.filters)}, {end} {by} first."
    order = "" if form.limit is None or form.order is not None else ", in the order of the file"
    if order and table.profile.source is not None:
        order = f", as {table.profile.source.name} returns them, in no particular order"
    return f"{shown} of `{form.table}`{where_words(form.filters)}{order}."


def _repeated(form: Form, result: Result) -> str:
    one = result.total == 1
    of = f" of {column_words(form.columns[0])}" if form.columns else ""
    what = ("value" if one else "values") if of else "different row" if one else "different rows"
    said = f"**{result.total:,}** {what}{of} {'occurs' if one else 'occur'} more than once"
    return f"{said} in `{form.table}`{where_words(form.filters)}."


def _named(form: Form, table: Table, row: Row) -> str:
    """Return a row as text, without the column that ranks the rows. A first and a last name are joined."""
    assert form.order is not None
    shown = [ref for ref in form.columns if ref != form.order.by]
    parts = [column.ref for column in person_names(table)]
    said = [label(row.get(ref.name)) for ref in shown]
    if parts and shown[: len(parts)] == parts:
        said = [" ".join(said[: len(parts)]), *said[len(parts) :]]
    return ", ".join(said)


def _extreme_rows(form: Form, table: Table, result: Result) -> str:
    assert form.order is not None
    assert isinstance(form.order.by, Ref)
    by = form.order.by
    end = "highest" if form.order.descending else "lowest"
    names = [_named(form, table, row) for row in result.rows]
    value = value_words(result.rows[0].get(by.name))
    if form.within:
        each = " and ".join(map(ref_words, form.within))
        return f"{result.total:,} rows: the {end} {column_words(by)} within each {each}{where_words(form.filters)}."
    if result.total > 1:
        shown = "; ".join(f"**{name}**" for name in names[:FEW]) + (
            "" if result.total <= FEW else f" and {result.total - FEW:,} more"
        )
        lead = f"{result.total:,} rows tie for the {end} {column_words(by)}, **{value}**{where_words(form.filters)}"
        return f"{lead}: {shown}."
    return f"**{names[0]}** has the {end} {column_words(by)}, **{value}**{where_words(form.filters)}."
