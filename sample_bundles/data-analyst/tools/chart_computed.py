"""Computes box plots, histograms and densities in SQL over all rows, never over a sample."""

import math
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.cells import moment_cell
from tools.chart_asked import Asked
from tools.chart_columns import Column, quote
from tools.chart_data import Rows, number_of

__all__ = ["BOX", "DENSITY", "HISTOGRAM", "computed"]

BOX = ("lower whisker", "lower quartile", "median", "upper quartile", "upper whisker", "rows", "outlier")
HISTOGRAM = ("from", "to", "rows")
DENSITY = ("value", "density")
_BINS = 20
_MOST_BINS = 200
_MOST_OUTLIERS = 1_000
_STEPS = 2_048
_CURVE = 128
_MOST_POINTS = 4_000


def computed(rows: Rows, asked: Asked) -> None:
    """Fill `rows.values` with the computed values that the mark draws.

    Raises:
        ToolError: there is no column of numbers to compute it from.
    """
    {"boxplot": _boxes, "histogram": _histogram, "density": _density}[asked.mark](rows, asked)


def _numbers(column: Column | None, what: str, part: str) -> Column:
    if column is None or column.kind != "number":
        named = f"“{column.name}” is of type {column.type}" if column is not None else "none is named"
        raise ToolError(
            f"A {what} needs a column of numbers as {part}; {named}. To count texts, use mark bar "
            "with aggregate: count."
        )
    return column


def _keys(rows: Rows, *more: Column | None) -> list[Column]:
    listed = (*more, rows.used.color, *rows.used.panels())
    return list({c.field: c for c in listed if c is not None}.values())


def _read(rows: Rows, sql: str) -> list[dict[str, Any]]:
    found = rows.connection.execute(sql)
    names = [item[0] for item in found.description]
    return [dict(zip(names, map(moment_cell, row), strict=True)) for row in found.fetchall()]


def _free(names: tuple[str, ...], keys: list[Column]) -> None:
    clash = {c.field.lower() for c in keys} & set(names)
    if clash:
        raise ToolError(
            f"Rename the column “{sorted(clash)[0]}” in the SQL (AS): the chart computes a column of that name."
        )


def _boxes(rows: Rows, asked: Asked) -> None:
    """Compute interpolated quartiles, whiskers to the last value within 1.5 interquartile ranges, and the values
    beyond.
    """
    y = _numbers(
        rows.used.y or (rows.used.x if rows.used.x and rows.used.x.kind == "number" else None),
        "box plot",
        "y",
    )
    keys = [c for c in _keys(rows, rows.used.x) if c.field != y.field]
    _free(BOX, keys)
    listed = "".join(f"{quote(c.field)}, " for c in keys)
    join = " AND ".join(f"c.{quote(c.field)} IS NOT DISTINCT FROM q.{quote(c.field)}" for c in keys) or "true"
    group = f"GROUP BY {listed[:-2]}" if keys else ""
    v = f"CAST({quote(y.field)} AS DOUBLE)"
    rows.connection.execute(
        f"CREATE TEMP TABLE boxes AS SELECT {listed}quantile_cont({v}, 0.25) AS ab_q1, "
        f"quantile_cont({v}, 0.5) AS ab_q2, "
        f"quantile_cont({v}, 0.75) AS ab_q3, count(*) AS ab_n, min(rowid) AS ab_first FROM charted {group}"
    )
    rows.connection.execute(
        f"CREATE TEMP TABLE beyond AS SELECT c.*, q.ab_q1, q.ab_q3, {v} < ab_q1 - 1.5 * (ab_q3 - ab_q1) "
        f"OR {v} > ab_q3 + 1.5 * (ab_q3 - ab_q1) AS ab_out "
        f"FROM charted c JOIN boxes q ON {join}"
    )
    inner = f"SELECT {listed}min({v}) AS ab_low, max({v}) AS ab_high FROM beyond WHERE NOT ab_out {group}"
    picked = "".join(f"q.{quote(c.field)}, " for c in keys)
    boxes = _read(
        rows,
        f'SELECT {picked}ab_low AS "lower whisker", ab_q1 AS "lower quartile", ab_q2 AS "median", '
        'ab_q3 AS "upper quartile", '
        f'ab_high AS "upper whisker", ab_n AS "rows" FROM boxes q JOIN ({inner}) c ON {join} ORDER BY ab_first',
    )
    if len(boxes) > 200:
        raise ToolError(f"{len(boxes):,} boxes cannot be told apart; the limit is 200. Filter in the SQL.")
    outliers = number_of(rows.connection, "SELECT count(*) FROM beyond WHERE ab_out")
    # if there are too many outliers, only the farthest are drawn
    chosen = _read(
        rows,
        f'SELECT {listed}{quote(y.field)} AS "outlier" FROM (SELECT *, row_number() OVER ('
        f"ORDER BY greatest(ab_q1 - {v}, {v} - ab_q3) DESC) AS ab_place FROM beyond WHERE ab_out) "
        f"WHERE ab_place <= {_MOST_OUTLIERS} ORDER BY ab_place",
    )
    rows.values = [*boxes, *chosen]
    if outliers > len(chosen):
        rows.notes.append(f"{len(chosen):,} of {outliers:,} outliers are drawn: the farthest ones.")
    rows.notes.append(
        f"Boxes are quartiles of all {number_of(rows.connection, 'SELECT count(*) FROM charted'):,} "
        "rows; whiskers reach to the "
        f"last value within 1.5 interquartile ranges; {outliers:,} outlier{'s' * (outliers != 1)} beyond."
    )


def _histogram(rows: Rows, asked: Asked) -> None:
    """Count rows in bins of a round width. A bin includes its lower edge but not its upper edge."""
    x = _numbers(rows.used.x, "histogram", "x")
    if rows.used.y is not None:
        raise ToolError("A histogram counts rows along x; leave out y.")
    keys = [c for c in _keys(rows) if c.field != x.field]
    _free(HISTOGRAM, keys)
    low, high = _range(rows, x)
    if asked.bins is not None and not 1 <= asked.bins <= _MOST_BINS:
        raise ToolError(f"bins: give a number between 1 and {_MOST_BINS}.")
    width = _round_width(
        (high - low) / (asked.bins or _BINS), whole=x.type.endswith("INT") or x.type == "INTEGER"
    )
    listed = "".join(f"{quote(c.field)}, " for c in keys)
    # dividing by 0.1 is not exact: without rounding, 0.3 would fall below its own edge
    at = f"CAST(floor(round(CAST({quote(x.field)} AS DOUBLE) / {width!r}, 9)) AS BIGINT)"
    found = _read(
        rows, f'SELECT {listed}{at} AS "from", count(*) AS "rows" FROM charted GROUP BY ALL ORDER BY ALL'
    )
    digits = max(0, 2 - math.floor(math.log10(width)))
    for row in found:
        start = row["from"]
        row["from"], row["to"] = round(start * width, digits), round((start + 1) * width, digits)
    rows.values = found
    rows.notes.append(
        f"Bins are {width:,.10g} wide; each counts values from its lower edge up to, not including, its "
        "upper edge."
    )


def _range(rows: Rows, x: Column) -> tuple[float, float]:
    low, high = rows.connection.execute(
        f"SELECT min({quote(x.field)})::DOUBLE, max({quote(x.field)})::DOUBLE FROM charted"
    ).fetchone()
    return low, high


def _round_width(width: float, *, whole: bool) -> float:
    if width <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    steps = (1, 2, 5, 10) if whole or power < 1 else (1, 2, 2.5, 5, 10)
    found = next(float(f"{step * power:.10g}") for step in steps if step * power >= width * (1 - 1e-9))
    return max(1.0, found) if whole else found


def _density(rows: Rows, asked: Asked) -> None:
    """Compute a Gaussian kernel density over all rows, with Silverman's bandwidth, from counts on a fine grid."""
    x = _numbers(rows.used.x, "density", "x")
    if rows.used.y is not None:
        raise ToolError("A density is computed along x; leave out y.")
    keys = [c for c in _keys(rows) if c.field != x.field]
    _free(DENSITY, keys)
    low, high = _range(rows, x)
    if not high > low:
        raise ToolError(
            f"“{x.title}” has one value only, so it has no density. Use mark tick or a bar of counts."
        )
    listed = "".join(f"{quote(c.field)}, " for c in keys)
    join = " AND ".join(f"g.{quote(c.field)} IS NOT DISTINCT FROM b.{quote(c.field)}" for c in keys) or "true"
    group = f"GROUP BY {listed[:-2]}" if keys else ""
    v = f"CAST({quote(x.field)} AS DOUBLE)"
    step = (high - low) / _STEPS
    rows.connection.execute(
        f"CREATE TEMP TABLE widths AS SELECT {listed}count(*) AS ab_n, greatest(0.9 * count(*) ** -0.2 * "
        f"CASE WHEN quantile_cont({v}, 0.75) > quantile_cont({v}, 0.25) THEN "
        f"least(coalesce(stddev_samp({v}), 0), "
        f"(quantile_cont({v}, 0.75) - quantile_cont({v}, 0.25)) / 1.34) ELSE coalesce(stddev_samp({v}), "
        "0) END, "
        f"{step!r}) AS ab_h FROM charted {group}"
    )
    narrow, wide, curves = rows.connection.execute(
        "SELECT min(ab_h), max(ab_h), count(*) FROM widths"
    ).fetchone()
    start, stop = low - 3 * wide, high + 3 * wide
    # two points within each bandwidth, so that no peak falls between two points
    most = max(_CURVE, _MOST_POINTS // curves)
    points = min(most, max(_CURVE, math.ceil(2 * (stop - start) / narrow)))
    picked = "".join(f"b.{quote(c.field)}, " for c in keys)
    rows.values = _read(
        rows,
        f"WITH grid AS (SELECT {listed}round(({v} - {low!r}) / {step!r}) * {step!r} + {low!r} AS ab_at, "
        "count(*) AS ab_k "
        f"FROM charted GROUP BY ALL), curve AS (SELECT {start!r} + range * {(stop - start) / points!r} "
        f"AS ab_p FROM range({points + 1})) "
        f'SELECT {picked}ab_p AS "value", sum(ab_k * exp(-0.5 * ((ab_p - ab_at) / ab_h) ** 2)) / '
        "(any_value(ab_n) * any_value(ab_h) * sqrt(2 * pi())) "
        f'AS "density" FROM grid g JOIN widths b ON {join} CROSS JOIN curve GROUP BY ALL ORDER BY ALL',
    )
    rows.notes.append(
        "Density over all rows: Gaussian kernel, bandwidth by Silverman's rule; the area below each curve is 1."
    )
