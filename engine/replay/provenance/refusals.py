"""Refuses queries that no rewriting can trace to input rows, each with a reason for the user. Pure."""

from sqlglot import exp

from engine.replay.provenance.rows_refused import RowsRefused

__all__ = ["refuse_select", "refuse_table", "refuse_windows"]

_READERS = ("read_", "query", "glob", "sniff_", "parquet_", "duckdb_", "pragma_", "which_secret")
"""Beginnings of table functions that read something other than their arguments."""


def refuse_select(select: exp.Select) -> None:
    """Raise an error if a SELECT has a part that cannot be traced to rows.

    Raises:
        RowsRefused: there is such a part.
    """
    distinct = select.args.get("distinct")
    if select.args.get("qualify"):
        raise RowsRefused("QUALIFY picks rows by a window function")
    if distinct is not None and distinct.args.get("on"):
        raise RowsRefused("DISTINCT ON keeps one row of several")
    if select.args.get("sample"):
        raise RowsRefused("it reads a sample of the rows")
    if select.args.get("pivots"):
        raise RowsRefused("it turns rows into columns (PIVOT)")
    if select.args.get("laterals") or select.args.get("match") or select.args.get("connect"):
        raise RowsRefused("it uses syntax that Anabranch cannot rewrite")
    if any(isinstance(one.unalias(), exp.Columns) for one in select.expressions):
        raise RowsRefused("COLUMNS(…) names its columns by a pattern")


def refuse_windows(expressions: list[exp.Expr]) -> None:
    """Raise an error if a value is computed over a window, or with a subquery.

    Raises:
        RowsRefused: there is such a value.
    """
    for one in expressions:
        if one.find(exp.Window) is not None:
            raise RowsRefused("a window function computes it from the rows of other cells too")
        if one.find(exp.Query) is not None:
            raise RowsRefused("a subquery computes a part of it from other rows")


def refuse_table(table: exp.Expr) -> None:
    """Raise an error if something in FROM cannot be traced to rows.

    Raises:
        RowsRefused: the table cannot be traced.
    """
    if table.args.get("pivots"):
        raise RowsRefused("it turns rows into columns (PIVOT or UNPIVOT)")
    if table.args.get("sample") or isinstance(table, exp.TableSample):
        raise RowsRefused("it reads a sample of the rows")
    if table.args.get("joins") or (isinstance(table, exp.Subquery) and not isinstance(table.this, exp.Query)):
        raise RowsRefused("it has a join in parentheses")
    if table.args.get("version") or table.args.get("when"):
        raise RowsRefused("it uses syntax that Anabranch cannot rewrite")
    if isinstance(table, exp.Lateral):
        raise RowsRefused("it has a LATERAL join")
    if isinstance(table, exp.Table) and not isinstance(table.this, exp.Identifier):
        _refuse_function(table.this)
    elif not isinstance(table, exp.Table | exp.Subquery) and table.find(exp.Table) is not None:
        raise RowsRefused("it uses syntax that Anabranch cannot rewrite")


def _refuse_function(function: exp.Expr) -> None:
    name = (function.name if isinstance(function, exp.Anonymous) else function.sql("duckdb")).lower()
    if isinstance(function, exp.ReadCSV | exp.ReadParquet) or name.startswith(_READERS):
        raise RowsRefused("it reads a file by its path, not a table by its name")
