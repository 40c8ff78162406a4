"""The columns that carry the numbers of input rows through a SELECT: `ab_rows_1`, `ab_rows_2`, … Pure."""

from collections.abc import Mapping
from typing import Literal

from sqlglot import exp

from engine.replay.provenance.aggregates import aggregates_in, named_in
from events.late_dataclass import dataclass

__all__ = ["FromItem", "Kind", "collected", "computed_columns", "exclude_rows", "passed_on"]

Kind = Literal["BIGINT", "BIGINT[]"]
"""The type of a column with row numbers: BIGINT if each value is one row number, BIGINT[] if it is a list of them."""


@dataclass(frozen=True, slots=True)
class FromItem:
    """An item in FROM."""

    alias: str
    rows: Mapping[int, Kind]
    computed: frozenset[str] = frozenset()


def passed_on(alias: str, number: int) -> exp.Expr:
    """Return the expression that passes on the row numbers of an item in FROM."""
    name = f"ab_rows_{number}"
    return exp.alias_(exp.column(name, exp.to_identifier(alias, quoted=True)), name)


def collected(alias: str, number: int, kind: Kind, condition: exp.Expr | None) -> exp.Expr:
    """Return the expression that collects the numbers of a group's rows in a list without duplicates."""
    name = f"ab_rows_{number}"
    column = exp.column(name, exp.to_identifier(alias, quoted=True))
    listed: exp.Expr = exp.Anonymous(
        this="list", expressions=[exp.Distinct(expressions=[column]) if kind == "BIGINT" else column]
    )
    there: exp.Expr = exp.Not(this=exp.Is(this=column.copy(), expression=exp.null()))
    if condition is not None:
        there = exp.and_(there, exp.paren(condition.copy()))
    listed = exp.Filter(this=listed, expression=exp.Where(this=there))
    if kind == "BIGINT[]":
        flat = exp.Anonymous(this="flatten", expressions=[listed])
        listed = exp.Anonymous(this="list_distinct", expressions=[flat])
    return exp.alias_(listed, name)


def exclude_rows(select: exp.Select, items: list[FromItem]) -> None:
    """Exclude the row-number columns from `*`."""
    for one in select.expressions:
        star = one if isinstance(one, exp.Star) else one.this if isinstance(one, exp.Column) else None
        if not isinstance(star, exp.Star):
            continue
        of = one.table.lower() if isinstance(one, exp.Column) else ""
        numbers = [n for item in items for n in item.rows if not of or item.alias.lower() == of]
        if numbers:
            left_out = [*(star.args.get("except_") or ()), *(exp.column(f"ab_rows_{n}") for n in numbers)]
            star.set("except_", left_out)


def computed_columns(select: exp.Select, items: list[FromItem]) -> frozenset[str]:
    """Return the names of the columns that are computed from several rows, directly or through another such column."""
    below = frozenset(name for item in items for name in item.computed)
    found: set[str] = set()
    for one in select.expressions:
        if one.is_star:
            found |= below
        elif (
            aggregates_in(one)
            or one.find(exp.Window, exp.Query) is not None
            or named_in([one]) & (below | found)
        ):
            found.add(one.alias_or_name.lower())
    return frozenset(found)
