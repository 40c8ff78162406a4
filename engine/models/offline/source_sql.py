"""Makes SQL for tables at a source: the same SELECT in the source's dialect, with the source's table names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.models.offline.form import FormError
from engine.workspace.table_facts import SourceOfTable, TableProfile

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["sql_at_source"]

_PARTS = {
    "Year": "YEAR", "Quarter": "QUARTER", "Month": "MONTH", "Day": "DAY", "Hour": "HOUR", "DayOfWeekIso": "ISODOW"
}  # fmt: skip
"""Functions that return a part of a time, with the name of that part in SQL."""
_NAMES = {"Dayname": ("FMDay", "EEEE"), "Monthname": ("FMMonth", "MMMM")}
"""Functions that return the name of a part of a time, each with the format of that name for PostgreSQL and for Spark.
"""

_LACKS: dict[str, dict[str, str]] = {
    "sqlite": {
        "Corr": "correlation", "Median": "median", "PercentileCont": "percentile", "Stddev": "standard deviation",
        "StddevSamp": "standard deviation", "Variance": "variance", "ArgMax": "value at the latest time",
        "ArgMin": "value at the earliest time", "TimestampTrunc": "periods", "DateTrunc": "periods", "Year": "year",
        "Quarter": "quarter", "Month": "month", "Day": "day", "Hour": "hour", "DayOfWeekIso": "weekday",
        "Dayname": "weekday", "Monthname": "month", "TimeToUnix": "time between two dates"
    },
    "postgres": {"ArgMax": "value at the latest time", "ArgMin": "value at the earliest time"}
}  # fmt: skip
"""Functions that `sqlglot` writes although the dialect does not have them, each with words for its result."""


def sql_at_source(sql: str, tables: Sequence[TableProfile], source: SourceOfTable) -> str:
    """Return DuckDB's `sql` in the dialect of `source`; `tables` are the tables that `sql` may name.

    Raises:
        FormError: a part cannot be expressed in the source's SQL.
    """
    import sqlglot  # noqa: PLC0415 -- takes a second to load, and most questions are about files
    from sqlglot import exp  # noqa: PLC0415

    places = {table.name: table.source for table in tables if table.source is not None}
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
        short: dict[str, str] = {}
        for node in tree.find_all(exp.Table):
            place = places.get(node.name)
            if place is not None:
                alias = short.setdefault(node.name, f"t{len(short) + 1}")
                named = exp.table_(place.table, db=place.schema_name or None, quoted=True)
                node.replace(named.as_(exp.to_identifier(alias)) if not node.alias else named.as_(node.alias))
        for column in tree.find_all(exp.Column):
            if column.table in short:
                column.set("table", exp.to_identifier(short[column.table]))
        _refuse_lacking(tree, source)
        tree = tree.transform(_part_of_time, source.dialect)
        return tree.sql(dialect=source.dialect, unsupported_level=sqlglot.ErrorLevel.RAISE, pretty=True)
    except sqlglot.errors.SqlglotError as error:
        said = (str(error).splitlines() or [""])[0]
        raise FormError(
            f"I cannot ask {source.name} this: its SQL ({source.dialect}) cannot express it ({said}). "
            "Query the rows that you need with `source`, and ask about that result."
        ) from None


def _refuse_lacking(tree: "exp.Expr", source: SourceOfTable) -> None:
    from sqlglot import exp  # noqa: PLC0415

    lacks = _LACKS.get(source.dialect, {})
    for node in tree.find_all(exp.Func):
        what = lacks.get(type(node).__name__)
        if source.dialect == "spark" and isinstance(node, exp.Cast) and node.to.this == exp.DType.TIME:
            what = "time of day"  # `sqlglot` would write a time with a date instead
        if what is not None:
            raise FormError(
                f"I cannot ask {source.name} this: its SQL ({source.dialect}) has no function for this: {what}. "
                "Query the rows that you need with `source`, and ask about that result."
            )


def _part_of_time(node: "exp.Expr", dialect: str) -> "exp.Expr":
    """Return a part of a time in the source's SQL, if `sqlglot` would write a function that does not exist there or
    that does something else.
    """
    from sqlglot import exp  # noqa: PLC0415

    name = type(node).__name__
    if dialect == "postgres" and name in _PARTS:
        part = exp.Extract(this=exp.var(_PARTS[name]), expression=node.this)
        return exp.cast(part, "int")
    if dialect == "spark" and name == "DayOfWeekIso":
        return exp.paren(exp.Anonymous(this="weekday", expressions=[node.this]) + 1)
    if dialect == "spark" and name == "PercentileCont":
        return exp.Anonymous(this="percentile", expressions=[node.this, node.expression])
    if dialect in ("postgres", "spark") and name in _NAMES:
        function = "to_char" if dialect == "postgres" else "date_format"
        pattern = _NAMES[name][dialect == "spark"]
        return exp.Anonymous(this=function, expressions=[node.this, exp.Literal.string(pattern)])
    return node
