"""Draws the result of one SELECT as a Vega-Lite chart whose data stands in the spec: nothing is fetched."""

import re
from pathlib import Path
from typing import Any

from anabranch_tool.cells import plain_cell
from tools.select import Refused, Result, run_select

MARKS = ("bar", "line", "area", "point", "arc", "boxplot", "rect", "histogram")
MOST_ROWS = 5_000
_BINS = 20


def run(
    workspace: Path,
    sql: str,
    mark: str,
    x: str,
    y: str | None = None,
    color: str | None = None,
    title: str | None = None,
) -> dict[str, Any]:
    """Answer with a Vega-Lite spec over at most 5,000 rows; of more, evenly spaced ones are drawn."""
    result = run_select(workspace, sql)
    try:
        x, y, color = (_column(result, name) for name in (x, y, color))
        if x is None:
            raise Refused("Name the column that goes along the x axis.")
        drawn = _histogram(result, x) if mark == "histogram" else _drawn(result, mark, x, y, color)
    finally:
        result.opened.close()
    note = drawn.pop("note", None)
    spec = {"title": title or _title(mark, x, y), "width": "container", "height": 320, **drawn}
    answer = {
        "title": spec["title"],
        "mark": mark,
        "sql": sql.strip(),
        "row_total": result.rows,
        "spec": spec,
    }
    return {**answer, "note": note} if note else answer


def _column(result: Result, name: str | None) -> str | None:
    if name is None or name == "":
        return None
    names = [column["name"] for column in result.columns]
    for known in names:
        if known.lower() == name.lower():
            return known
    raise Refused(f"The result has no column “{name}”. Its columns are: {', '.join(names)}.")


def _title(mark: str, x: str, y: str | None) -> str:
    return f"{y} by {x}" if y else f"Histogram of {x}" if mark == "histogram" else x


def _kind(result: Result, name: str) -> str:
    kind = next(column["type"] for column in result.columns if column["name"] == name)
    if kind.startswith(("DATE", "TIMESTAMP")):
        return "temporal"
    if re.match(r"U?(TINY|SMALL|BIG|HUGE)?INT|FLOAT|DOUBLE|DECIMAL", kind):
        return "quantitative"
    return "nominal"


def _axis(result: Result, name: str, kind: str | None = None) -> dict[str, Any]:
    field = re.sub(r"([.\[\]'\"\\])", r"\\\1", name)
    return {"field": field, "type": kind or _kind(result, name), "title": name.replace("_", " ")}


def _drawn(result: Result, mark: str, x: str, y: str | None, color: str | None) -> dict[str, Any]:
    if y is None and mark != "boxplot":
        raise Refused(f"A {mark} chart needs a column for y.")
    names = [column["name"] for column in result.columns]
    step = max(1, -(-result.rows // MOST_ROWS))
    rows = result.opened.connection.execute(
        f"SELECT * EXCLUDE (anabranch_row) FROM (SELECT *, row_number() OVER () - 1 AS anabranch_row FROM result) "
        f"WHERE anabranch_row % {step} = 0"
    ).fetchall()
    values = [dict(zip(names, map(plain_cell, row), strict=True)) for row in rows]
    shape: dict[str, Any] = {"type": mark, "tooltip": True}
    if mark == "line" and len(values) <= 60:
        shape["point"] = True
    drawn: dict[str, Any] = {
        "mark": shape,
        "data": {"values": values},
        "encoding": _encoding(result, mark, x, y, color),
    }
    if step > 1:
        drawn["note"] = f"Every {step}th of {result.rows:,} rows is drawn."
    return drawn


def _encoding(result: Result, mark: str, x: str, y: str | None, color: str | None) -> dict[str, Any]:
    if mark == "arc":
        assert y is not None
        return {"theta": _axis(result, y, "quantitative"), "color": _axis(result, x, "nominal")}
    kind = _kind(result, x)
    along = _axis(
        result, x, "ordinal" if mark in ("bar", "boxplot", "rect") and kind == "quantitative" else kind
    )
    if mark == "line" and kind == "quantitative":
        along["axis"] = {"format": "d"}
    if along["type"] in ("nominal", "ordinal"):
        along["sort"] = None
    if mark == "point" and kind == "quantitative":
        along["scale"] = {"zero": False}
    encoding: dict[str, Any] = {"x": along}
    if y is not None:
        encoding["y"] = _axis(result, y)
        if mark == "point":
            encoding["y"]["scale"] = {"zero": False}
    if color is not None:
        paint = _kind(result, color)
        encoding["color"] = _axis(
            result, color, "nominal" if paint == "quantitative" and mark in ("bar", "line", "area") else paint
        )
        if mark == "bar" and encoding["color"]["type"] == "nominal":
            encoding["xOffset"] = _axis(result, color, "nominal")
    return encoding


def _histogram(result: Result, x: str) -> dict[str, Any]:
    """Bins of a round width, counted in SQL, so that millions of rows make as small a chart as a hundred."""
    if _kind(result, x) != "quantitative":
        raise Refused(
            f"A histogram needs a column of numbers; “{x}” is none. A bar chart of counts would do."
        )
    column = '"' + x.replace('"', '""') + '"'
    execute = result.opened.connection.execute
    low, high = execute(f"SELECT min({column})::DOUBLE, max({column})::DOUBLE FROM result").fetchone() or (
        None,
        None,
    )
    if low is None or high is None:
        raise Refused(f"“{x}” has no values to draw.")
    width = _round_width((high - low) / _BINS)
    rows = execute(
        f"SELECT floor({column} / {width}) * {width} AS b, count(*) FROM result WHERE {column} IS NOT NULL "
        "GROUP BY b ORDER BY b"
    ).fetchall()
    values = [{x: round(start, 10), "to": round(start + width, 10), "count": count} for start, count in rows]
    along = {**_axis(result, x), "bin": {"binned": True, "step": width}}
    encoding = {
        "x": along,
        "x2": {"field": "to"},
        "y": {"field": "count", "type": "quantitative", "title": "count"},
    }
    return {"mark": {"type": "bar", "tooltip": True}, "data": {"values": values}, "encoding": encoding}


def _round_width(width: float) -> float:
    if width <= 0:
        return 1.0
    power = 10.0 ** len(f"{int(width)}") if width >= 1 else 1.0
    while power > width:
        power /= 10
    return next(round(step * power, 10) for step in (1, 2, 2.5, 5, 10) if step * power >= width)
