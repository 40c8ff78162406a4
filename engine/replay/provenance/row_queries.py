"""Rewrites the SELECT of a call so that each row of its result carries the input rows behind it. Pure.

The rewriting follows "why-provenance" (Glavic and Alonso, Perm, ICDE 2009): each table gets a column with the number of
the row, joins and filters pass this column on, and groups collect it. A second query runs the same SELECT over only the
collected rows; if it does not give the same cell, the rows are not shown.
"""

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from engine.replay.provenance.rows_refused import RowsRefused
from engine.replay.provenance.tracked_select import Tracking
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["RowQueries", "RowSource", "row_queries"]

_LONGEST = 100_000
"""The maximum number of characters of SQL that is rewritten."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """A place where the SELECT reads a table. A table that is read twice has two sources."""

    number: int
    schema: str
    """The earlier state that the table is read from; "" for the files of the call."""
    table: str


@dataclass(frozen=True, slots=True)
class RowQueries:
    """A SELECT of a call, rewritten to find the input rows behind a cell."""

    sql: str
    """The SQL of the call."""
    numbered: str
    """The SQL over views `ab_source_N`. Its columns `ab_rows_N` contain the numbers of the input rows behind each row.
    """
    again: str
    """The SELECT over views `ab_only_N`, which contain only the input rows behind the cell."""
    sources: tuple[RowSource, ...]
    computed: tuple[str, ...]
    """Columns of the result whose values may change when the input rows of other cells are left out."""
    only_filtered: tuple[str, ...]
    """Tables that only a filter's subquery reads; their rows are not listed."""
    columns: tuple[str, ...]
    """All column names in the SQL."""
    narrowed: bool = False
    """Whether a group's rows are listed only in part: only the rows that the FILTER or CASE of the cell selects."""

    def to_json(self) -> JSONObject:
        """Return the row queries as the tool process receives them."""
        sources: list[JSON] = [
            {"number": one.number, "schema": one.schema, "table": one.table} for one in self.sources
        ]
        return {
            "sql": self.sql,
            "numbered": self.numbered,
            "again": self.again,
            "sources": sources,
            "computed": list(self.computed),
            "columns": list(self.columns),
        }


def row_queries(
    sql: str, column: int | None, names: Sequence[str] = (), *, narrow: bool = True
) -> RowQueries:
    """Return the queries that find the rows behind the cells of a column.

    Args:
        sql: one SELECT in DuckDB's dialect.
        column: the number of a column of the result, from 0; None for all columns.
        names: the result's columns.
        narrow: whether to find only the rows of a group that the cell's FILTER or CASE selects.

    Raises:
        RowsRefused: the SELECT cannot be rewritten; the message says why.
    """
    query = _parsed(sql)
    for one in query.find_all(exp.With):
        if one.args.get("recursive"):
            raise RowsRefused("a recursive WITH builds its rows step by step")
    _name_columns(query)
    wanted = _wanted(query, column, names)
    numbered, again = Tracking("numbered", narrow), Tracking("again", narrow)
    found = numbered.query(query.copy(), {}, wanted)
    tried = again.query(query.copy(), {}, wanted)
    if not numbered.sources:
        raise RowsRefused("it reads no table")
    listed = {(one.schema.lower(), one.table.lower()) for one in numbered.sources}
    only_filtered = {
        name for schema, name in numbered.filters if (schema.lower(), name.lower()) not in listed
    }
    return RowQueries(
        sql,
        found.query.sql("duckdb"),
        tried.query.sql("duckdb"),
        tuple(RowSource(one.number, one.schema, one.table) for one in numbered.sources),
        tuple(sorted(found.computed)),
        tuple(sorted(only_filtered)),
        tuple(sorted({one.name for one in query.find_all(exp.Column) if one.name})),
        numbered.narrowed,
    )


def _parsed(sql: str) -> exp.Query:
    if len(sql) > _LONGEST:
        raise RowsRefused(f"it is longer than {_LONGEST:,} characters")
    try:
        found = [one for one in sqlglot.parse(sql, read="duckdb") if one is not None]
    except (SqlglotError, RecursionError):
        raise RowsRefused("it uses syntax that Anabranch cannot rewrite") from None
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise RowsRefused("it is not a plain SELECT (PIVOT and SUMMARIZE, for example, are not)")
    query = found[0]
    while (
        isinstance(query, exp.Subquery) and isinstance(query.this, exp.Query) and not query.args.get("order")
    ):
        query = query.this
    return query


def _first_select(query: exp.Query) -> exp.Select | None:
    """Return the SELECT that determines the column names of a query."""
    one: exp.Expr = query
    while isinstance(one, exp.SetOperation | exp.Subquery):
        one = one.this
    return one if isinstance(one, exp.Select) else None


def _name_columns(query: exp.Query) -> None:
    """Give the computed columns known names."""
    select = _first_select(query)
    if select is None:
        return
    named = [
        one if isinstance(one, exp.Alias | exp.Star | exp.Column) else exp.alias_(one, f"ab_column_{at}")
        for at, one in enumerate(select.expressions)
    ]
    select.set("expressions", named)


def _wanted(query: exp.Query, column: int | None, names: Sequence[str]) -> frozenset[str] | None:
    """Return the name of the requested column in the query; None if the column cannot be distinguished from other
    columns.
    """
    select = _first_select(query)
    if select is None or column is None:
        return None
    if not any(one.is_star for one in select.expressions):
        if column < len(select.expressions):
            return frozenset({select.expressions[column].alias_or_name.lower()})
        return None
    return frozenset({names[column].lower()}) if column < len(names) else None
