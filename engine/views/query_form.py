"""Shows query forms to people: the parts of a reading, each with its alternatives. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

from engine.errors import Invalid
from engine.models.offline.chips import Chip, parts_of
from engine.models.offline.choices import choices_of
from engine.models.offline.form import Filter, Form, FormError, Join, Ref
from engine.models.offline.form_documents import form_from, form_json
from engine.models.offline.joining import table_of
from engine.models.offline.schema import Table
from engine.models.offline.source_sql import sql_at_source
from engine.models.offline.sql import query
from engine.models.offline.wording import sentence
from engine.workspace.table_facts import TableProfile
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "FormChoice",
    "FormError",
    "FormPart",
    "form_parts",
    "form_problem",
    "form_sentence",
    "form_sql",
    "joined_form",
    "joined_tables",
    "starting_forms",
]

PartKind: TypeAlias = Literal[
    "table", "measure", "columns", "group", "filter", "having", "order", "limit", "window", "chart", "add"
]


@dataclass(frozen=True, slots=True)
class FormChoice:
    """An alternative for a part, and the form that results from choosing it."""

    text: str
    detail: str
    form: JSONObject


@dataclass(frozen=True, slots=True)
class FormPart:
    """One part of a reading, such as `by region`."""

    kind: PartKind
    lead: str
    """The connecting words before the part: `by`, `where`, `as`."""
    text: str
    choices: tuple[FormChoice, ...] = ()
    """Alternatives for this part. The last choices may add a similar part, or remove this one."""
    problem: str = ""
    """The table or column in the part that does not exist; empty if there is no problem."""


def form_sentence(document: Mapping[str, JSON]) -> str:
    """Return the sentence that describes a form, beginning with a capital.

    Raises:
        Invalid: the document is not a query form.
    """
    try:
        form = form_from(dict(document))
    except FormError as error:
        raise Invalid("query_form", str(error)) from None
    text = f"{sentence(form)} in {form.table}" if form.show != "columns" else sentence(form)
    return text[:1].upper() + text[1:]


def form_problem(document: Mapping[str, JSON], tables: Sequence[TableProfile]) -> str:
    """Return the reason why a form cannot be computed over `tables`; empty if it can be computed."""
    try:
        form_sql(document, tables)
    except FormError as error:
        return str(error)
    return ""


def form_sql(document: Mapping[str, JSON], tables: Sequence[TableProfile]) -> str:
    """Return the SQL of a form.

    Raises:
        FormError: the document is not a query form, or names a table or a column that does not exist.
    """
    form = form_from(dict(document))
    if form.show == "columns":
        return ""
    table = table_of(form, tables)
    sql, source = query(form, table).sql, table.profile.source
    return sql if source is None else sql_at_source(sql, tables, source)


def joined_form(document: Mapping[str, JSON], table: str, left: str, right: str) -> JSONObject:
    """Return a form that also reads `table`. The tables are joined where the form's column `left` equals the column
    `right` of `table`.

    Raises:
        FormError: the document is not a query form.
    """
    form = form_from(dict(document))
    made = form_json(replace(form, joins=(*form.joins, Join(table, Ref(left), Ref(right, table)))))
    assert isinstance(made, dict)
    return made


def joined_tables(document: Mapping[str, JSON]) -> frozenset[str]:
    """Return the tables that a form reads in addition to its main table.

    Raises:
        FormError: the document is not a query form.
    """
    return frozenset(join.table for join in form_from(dict(document)).joins)


def form_parts(
    document: Mapping[str, JSON], tables: Sequence[TableProfile], *, with_choices: bool = True
) -> tuple[FormPart, ...]:
    """Return the parts of a form in the order in which a sentence names them. The last part is for adding further
    parts.

    A part whose column no longer exists names the problem, and can only be removed. Without choices this is very fast.
    With choices, each choice is checked against the tables, and the last few forms are cached.

    Raises:
        FormError: the document is not a query form.
    """
    return _parts(json.dumps(document, sort_keys=True), tuple(tables), with_choices)


@lru_cache(maxsize=32)
def _parts(document: str, tables: tuple[TableProfile, ...], with_choices: bool) -> tuple[FormPart, ...]:
    form = form_from(json.loads(document))
    return tuple(
        FormPart(
            part.kind,
            part.lead,
            part.text,
            _choices(form, part, tables) if with_choices else (),
            _missing(form, part, tables) if part.kind != "add" else "",
        )
        for part in parts_of(form, tables)
    )


def _missing(form: Form, part: Chip, tables: Sequence[TableProfile]) -> str:
    """Return the table or column that a part names and that does not exist; "" if everything exists."""
    if not tables:
        return ""  # the tables are not known yet
    try:
        table = table_of(form, tables)
    except FormError as error:
        return str(error) if part.kind in ("table", "measure", "columns") else ""
    return next(filter(None, (_not_in(table, ref) for ref in _named(form, part))), "")


def _not_in(table: Table, ref: Ref) -> str:
    try:
        table.column(ref)
    except FormError as error:
        return str(error)
    return ""


def _named(form: Form, part: Chip) -> Iterator[Ref]:
    """Yield the columns that a part names."""
    if part.kind == "measure":
        measure = form.measures[part.place]
        yield from (ref for ref in (measure.of, measure.other) if ref is not None)
    elif part.kind == "group":
        yield form.groups[part.place]
    elif part.kind == "filter":
        yield from _filtered(form.filters[part.place])
    elif part.kind == "columns":
        yield from form.columns if form.show != "numbers" else ()
        if form.show == "numbers":
            yield from (ref for found in form.measures[part.place].where for ref in _filtered(found))
    elif part.kind == "order" and form.order is not None and isinstance(form.order.by, Ref):
        yield form.order.by


def _filtered(found: Filter) -> Iterator[Ref]:
    for condition in found.any:
        yield condition.of
        if condition.other is not None:
            yield condition.other


def _choices(form: Form, part: Chip, tables: Sequence[TableProfile]) -> tuple[FormChoice, ...]:
    made = []
    try:
        for text, detail, found in choices_of(form, part, tables):
            document = form_json(found)
            if isinstance(document, dict):
                made.append(FormChoice(text, detail, document))
    except FormError:  # another part names something that does not exist
        return ()
    return tuple(made)


def starting_forms(tables: Sequence[TableProfile]) -> tuple[FormChoice, ...]:
    """Return a form to start from for each table: it counts the table's rows."""
    return tuple(
        FormChoice(table.name, table.rows_text, {"table": table.name, "measures": [{"aggregate": "count"}]})
        for table in tables
    )
