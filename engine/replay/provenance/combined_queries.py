"""Rewrites UNION and DISTINCT over queries whose columns carry the numbers of input rows. Pure."""

from collections.abc import Mapping

from sqlglot import exp

from engine.replay.provenance.row_columns import Kind, collected
from engine.replay.provenance.rows_refused import RowsRefused

__all__ = ["in_parentheses", "same_names", "widened", "without_doubles"]


def without_doubles(query: exp.Query, rows: Mapping[int, Kind], alias: str) -> exp.Select:
    """Return a query that removes duplicate rows and collects their row numbers; ORDER BY and LIMIT move to the outer
    query.
    """
    query.set("distinct", exp.Distinct() if isinstance(query, exp.Union) else None)
    if isinstance(query, exp.Union):
        query.set("distinct", False)
    star = exp.Star(except_=[exp.column(f"ab_rows_{number}") for number in rows]) if rows else exp.Star()
    outer = exp.Select(
        expressions=[star, *(collected(alias, number, kind, None) for number, kind in rows.items())],
        group=exp.Group(all=True),
    )
    for name in ("order", "limit", "offset"):
        moved = query.args.get(name)
        if moved is not None:
            if any(one.table for one in moved.find_all(exp.Column)):
                raise RowsRefused("it sorts the result of DISTINCT or UNION by a column of a table")
            query.set(name, None)
            outer.set(name, moved)
    outer.set(
        "from_",
        exp.From(this=exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))),
    )
    return outer


def widened(query: exp.Query, own: Mapping[int, Kind], rows: Mapping[int, Kind], alias: str) -> exp.Select:
    """Return one side of a UNION, extended so that it has the row-number columns of both sides, in the same order."""
    star = exp.Star(except_=[exp.column(f"ab_rows_{n}") for n in own]) if own else exp.Star()
    columns: list[exp.Expr] = [star]
    for number, kind in rows.items():
        value = exp.column(f"ab_rows_{number}", alias) if number in own else exp.cast(exp.null(), kind)
        columns.append(exp.alias_(value, f"ab_rows_{number}"))
    below = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    return exp.Select(expressions=columns, from_=exp.From(this=below))


def in_parentheses(query: exp.Query) -> exp.Query:
    """Return a side of a UNION, in parentheses if it has its own ORDER BY or LIMIT or is a UNION itself."""
    cut = any(query.args.get(name) for name in ("order", "limit"))
    return exp.Subquery(this=query) if cut or isinstance(query, exp.Union) else query


def same_names(left: exp.Expr, right: exp.Expr) -> bool:
    """Return whether both sides of a UNION name the same columns in the same order."""
    names = []
    for side in (left, right):
        while isinstance(side, exp.Subquery | exp.Union):
            side = side.this  # noqa: PLW2901 -- the SELECT inside
        if not isinstance(side, exp.Select) or any(one.is_star for one in side.expressions):
            return False
        names.append([one.alias_or_name.lower() for one in side.expressions])
    return names[0] == names[1]
