"""Checks that a chart stays readable: limits on panels, colours and marks, and one mark for each row."""

from anabranch_tool import ToolError
from tools.chart_asked import Asked
from tools.chart_columns import Column, quote
from tools.chart_data import MOST_MARKS, Rows, count_of_rows, number_of

__all__ = ["MOST_COLOURS", "check_groups", "one_row_a_mark"]

MOST_COLOURS = 20
_MOST_PANELS = 50
_MOST_SLICES = 12
_MOST_BARS = 1_000
_MOST_TEXTS = 500


def check_groups(rows: Rows, asked: Asked) -> None:
    """Refuse more panels, colours, slices or bars than can be told apart."""
    used = rows.used
    for column in used.panels():
        panels = _distinct(rows, column)
        if panels > _MOST_PANELS:
            raise ToolError(
                f"“{column.title}” would make {panels:,} panels; the limit is {_MOST_PANELS}. Filter in "
                "the SQL, or use color."
            )
    nominal = used.color is not None and (
        used.color.kind != "number" or asked.mark not in ("point", "rect", "text", "tick")
    )
    if nominal and asked.mark != "rect" and used.color is not None:
        colours = _distinct(rows, used.color)
        if colours > MOST_COLOURS:
            raise ToolError(
                f"“{used.color.title}” has {colours:,} values; more than {MOST_COLOURS} colours cannot "
                "be told apart. "
                "Keep the largest in the SQL and sum up the others, or use facet."
            )
    if used.x is None:
        return
    along = _distinct(rows, used.x)
    if asked.mark == "arc" and along > _MOST_SLICES:
        raise ToolError(
            f"A pie of {along:,} slices cannot be read; the limit is {_MOST_SLICES}. Use mark bar, or "
            "keep the largest and "
            "sum up the others in the SQL."
        )
    if asked.mark == "bar" and along > _MOST_BARS and used.x.kind in ("text", "flag"):
        raise ToolError(
            f"{along:,} bars cannot be told apart. Sort and LIMIT in the SQL, or draw a histogram of the "
            "numbers."
        )
    _bound_marks(rows, asked)


def _bound_marks(rows: Rows, asked: Asked) -> None:
    count = number_of(rows.connection, "SELECT count(*) FROM charted")
    most = _MOST_TEXTS if asked.mark == "text" else MOST_MARKS
    if asked.mark in ("bar", "area", "rect", "rule", "text") and count > most:
        raise ToolError(
            f"{count:,} marks are too many for a {asked.mark} chart; the limit is {most:,}. Aggregate or "
            "filter in the SQL."
        )
    if asked.mark == "arc" and rows.used.y is not None:
        y = quote(rows.used.y.field)
        negative = number_of(rows.connection, f"SELECT count(*) FROM charted WHERE {y} < 0")
        if negative:
            raise ToolError(
                f"A pie cannot show negative values; “{rows.used.y.title}” is below 0 in {count_of_rows(negative)}. "
                "Use mark bar."
            )
        if not number_of(rows.connection, f"SELECT count(*) FROM charted WHERE {y} > 0"):
            raise ToolError(f"All values of “{rows.used.y.title}” are 0, so there is no share to draw.")
    _check_values(rows, asked)


def _check_values(rows: Rows, asked: Asked) -> None:
    for column, scale in ((rows.used.y, asked.scale), (rows.used.x, asked.x_scale)):
        if column is None or scale not in ("log", "sqrt"):
            continue
        sign = "<=" if scale == "log" else "<"
        outside = number_of(
            rows.connection, f"SELECT count(*) FROM charted WHERE {quote(column.field)} {sign} 0"
        )
        if outside:
            raise ToolError(
                f"scale: {scale} has no place for {count_of_rows(outside)} of “{column.title}” at or below 0. "
                "Use symlog, or filter these rows in the SQL."
            )
    whole = asked.stack == "normalize" or (asked.stack == "stacked" and asked.mark == "area")
    if whole and rows.used.y is not None:
        below = number_of(
            rows.connection, f"SELECT count(*) FROM charted WHERE {quote(rows.used.y.field)} < 0"
        )
        if below:
            raise ToolError(
                f"stack: parts of a whole need values of at least 0; “{rows.used.y.title}” is "
                f"below 0 in {count_of_rows(below)}."
            )


def _distinct(rows: Rows, column: Column) -> int:
    return number_of(rows.connection, f"SELECT count(DISTINCT {quote(column.field)}) FROM charted")


def one_row_a_mark(rows: Rows, asked: Asked) -> None:
    used = rows.used
    keys = [used.x, *used.panels(), used.y if asked.mark == "rect" else used.color]
    listed = ", ".join(dict.fromkeys(quote(c.field) for c in keys if c is not None))
    shared = rows.connection.execute(
        f"SELECT max(n), count(*) FILTER (n > 1) FROM (SELECT count(*) AS n FROM charted GROUP BY {listed})"
    ).fetchone()
    if shared and shared[1]:
        ways = (
            "name a column under color that tells them apart"
            if used.color is None or asked.mark == "rect"
            else "name another column under color"
        )
        raise ToolError(
            f"Up to {shared[0]:,} rows share one mark (same "
            f"{' and '.join(dict.fromkeys(c.title for c in keys if c))}). "
            f"Either {ways}, or split the chart with facet, or combine the rows with aggregate: sum, mean, "
            "median, min, max or count."
        )
