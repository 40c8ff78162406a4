"""Draws a chart from a whole Vega-Lite specification: takes data from SQL, checks columns, and adds missing types."""

import json
from collections.abc import Iterator
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.cells import moment_cell
from anabranch_tool.natural_order import natural_order
from tools.chart_columns import Column, quote
from tools.chart_data import MOST_MARKS, number_of
from tools.chart_fields import check_fields, forbidden, keys_of, mentioned, plain_name
from tools.chart_lengths import check_lengths
from tools.select import Result

__all__ = ["whole_spec"]

_MOST_ROWS = 20_000
"""The maximum number of rows for a specification that transforms them."""
_MOST_CELLS = 200_000
_VIEWS = ("layer", "hconcat", "vconcat", "concat", "spec")
_COMPUTING = ("aggregate", "bin", "timeUnit", "transform", "density", "regression")
_COMPUTED_MARKS = ("boxplot", "errorbar", "errorband")
_ONE_EACH = ("bar", "line", "area", "rect", "arc")


def whole_spec(
    result: Result, columns: list[Column], spec: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """Return the specification without data, the rows, and notes.

    Raises:
        ToolError: the specification contains data or an address, names an unknown column, or draws rows on top of each
            other.
    """
    if not result.rows:
        raise ToolError(
            "The result has no rows, so there is nothing to draw. Check the conditions of the SQL."
        )
    for place, problem in forbidden(spec, "spec", 0):
        raise ToolError(f"{place} {problem}")
    if not any(key in spec for key in ("mark", *_VIEWS)):
        raise ToolError(
            "`spec` must contain `mark`, `layer`, `concat`, `facet` and `spec`, or `repeat` and `spec`."
        )
    made = json.loads(json.dumps(spec))
    made.pop("$schema", None)
    check_fields(made, columns)
    known = {c.name: c for c in columns}
    listed = mentioned(made, columns)
    orders = {c.name: _order(result, c) for c in listed if c.kind in ("text", "flag")}
    _fill_in(made, known, orders, shared={})
    check_lengths(made, known)
    for unit, encoding in _units(made, {}):
        _one_row_a_mark(result, unit, encoding, known)
    values, notes = _rows(result, listed, computes=_computes(made))
    if "mark" in made or "layer" in made:
        panels = {"facet", "row", "column"} & set(made.get("encoding") or {})
        made.setdefault("width", 200 if panels else "container")
        made.setdefault("height", 160 if panels else 320)
    return made, values, notes


def _order(result: Result, column: Column) -> list[Any] | None:
    found = result.opened.connection.execute(
        f"SELECT v FROM (SELECT {quote(column.name)} AS v, min(rowid) AS r FROM result GROUP BY 1) WHERE "
        "v IS NOT NULL ORDER BY r LIMIT 201"
    ).fetchall()
    values = [row[0] if isinstance(row[0], bool) else str(row[0]) for row in found]
    return None if len(values) > 200 else natural_order(values) or values


def _fill_in(view: Any, known: dict[str, Column], orders: dict[str, Any], shared: dict[str, Any]) -> None:
    """Set the type and the order of values of each channel by its column, unless the specification sets them."""
    if not isinstance(view, dict):
        return
    for name, channel in (view.get("encoding") or {}).items():
        for one in channel if isinstance(channel, list) else [channel]:
            if isinstance(one, dict):
                _fill_channel(name, one, known, orders)
    facet = view.get("facet")
    for one in [facet, *(facet.values() if isinstance(facet, dict) else ())]:
        if isinstance(one, dict) and "field" in one:
            _fill_channel("facet", one, known, orders)
    for key in _VIEWS:
        inner = view.get(key)
        for one in inner if isinstance(inner, list) else [inner]:
            _fill_in(one, known, orders, shared)


def _fill_channel(
    name: str, channel: dict[str, Any], known: dict[str, Column], orders: dict[str, Any]
) -> None:
    column = known.get(plain_name(channel["field"])) if isinstance(channel.get("field"), str) else None
    if column is None:
        return
    if (
        "type" not in channel
        and "aggregate" not in channel
        and "bin" not in channel
        and name not in ("x2", "y2", "href", "xOffset", "yOffset")
    ):
        channel["type"] = (
            "temporal"
            if "timeUnit" in channel
            else {"number": "quantitative", "time": "temporal"}.get(column.kind, "nominal")
        )
    sorts = name in (
        "x",
        "y",
        "color",
        "facet",
        "row",
        "column",
        "shape",
        "xOffset",
        "yOffset",
        "fill",
        "stroke",
    )
    if (
        sorts
        and "sort" not in channel
        and orders.get(column.name)
        and channel.get("type") in ("nominal", "ordinal")
    ):
        channel["sort"] = orders[column.name]


def _units(
    view: Any, above: dict[str, Any], changed: bool = False
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each view whose mark draws the rows unchanged, with all its channels, including inherited ones."""
    if not isinstance(view, dict) or changed or "transform" in view or "repeat" in view:
        return
    facet = view.get("facet")
    own = dict(above)
    if isinstance(facet, dict):
        own |= {"facet": facet} if "field" in facet else {f"facet {k}": v for k, v in facet.items()}
    own |= view.get("encoding") or {}
    if "mark" in view:
        yield view, own
    for key in _VIEWS:
        inner = view.get(key)
        for one in inner if isinstance(inner, list) else [inner]:
            yield from _units(one, own)


def _one_row_a_mark(
    result: Result, unit: dict[str, Any], encoding: dict[str, Any], known: dict[str, Column]
) -> None:
    mark = unit["mark"]["type"] if isinstance(unit["mark"], dict) else unit["mark"]
    channels = [(name, item) for name, item in encoding.items() if isinstance(item, dict)]
    if mark not in _ONE_EACH or any(
        key in item for _, item in channels for key in ("aggregate", "bin", "timeUnit")
    ):
        return
    told = [
        (name, item, known.get(plain_name(item["field"])))
        for name, item in channels
        if isinstance(item.get("field"), str)
    ]
    keys = [
        column
        for name, item, column in told
        if column is not None
        and name != "tooltip"
        and (
            item.get("type") in ("nominal", "ordinal", "temporal")
            or name.startswith("facet")
            or name in ("x2", "y2", "row", "column", "detail")
        )
    ]
    numbers = [
        column
        for name, item, column in told
        if name in ("x", "y") and item.get("type") == "quantitative" and column
    ]
    if mark in ("bar", "line", "area") and len(numbers) == 2:
        keys.append(numbers[0])
    if not keys or (mark == "rect" and numbers) or {"x2", "y2"} & set(encoding):
        return
    listed = ", ".join(dict.fromkeys(quote(c.name) for c in keys))
    most, shared = result.opened.connection.execute(
        f"SELECT max(n), count(*) FILTER (n > 1) FROM (SELECT count(*) AS n FROM result GROUP BY {listed})"
    ).fetchone()
    if shared:
        raise ToolError(
            f"Up to {most:,} rows share one {mark} (same "
            f"{' and '.join(dict.fromkeys(c.title for c in keys))}). Set `color` or "
            "`facet` to a column that tells these rows apart, or add an aggregate to the number's encoding."
        )


def _computes(spec: dict[str, Any]) -> bool:
    text = json.dumps(spec)
    return any(f'"{mark}"' in text for mark in _COMPUTED_MARKS) or any(
        key in _COMPUTING for key in keys_of(spec)
    )


def _rows(result: Result, listed: list[Column], *, computes: bool) -> tuple[list[dict[str, Any]], list[str]]:
    if not listed:
        raise ToolError(
            "spec names no column of the result. Its columns are: "
            f"{', '.join(c['name'] for c in result.columns)}."
        )
    most = min(_MOST_ROWS if computes else MOST_MARKS, max(1, _MOST_CELLS // len(listed)))
    chosen, notes = "", []
    if result.rows > most:
        if computes:
            raise ToolError(
                f"The chart would compute over {result.rows:,} rows on the page; the limit is {most:,}. "
                "Aggregate in the SQL, or use the "
                "short form: boxplot, histogram and density are computed over all rows there."
            )
        chosen = f"WHERE rowid IN (SELECT rowid FROM result ORDER BY hash(rowid), rowid LIMIT {most})"
        notes.append(f"{most:,} of {result.rows:,} rows are drawn, chosen at random.")
    names = ", ".join(quote(c.name) for c in listed)
    found = result.opened.connection.execute(f"SELECT {names} FROM result {chosen} ORDER BY rowid").fetchall()
    empty = [c.title for at, c in enumerate(listed) if all(row[at] is None for row in found)]
    if empty:
        raise ToolError(f"“{empty[0]}” has no value in any row, so it cannot be drawn.")
    missing = {
        c.title: number_of(result.opened.connection, f"SELECT count(*) - count({quote(c.name)}) FROM result")
        for c in listed
        if c.kind in ("number", "time")
    }
    notes += [
        f"{count:,} row{'s' * (count != 1)} without {title}." for title, count in missing.items() if count
    ]
    return [dict(zip((c.name for c in listed), map(moment_cell, row), strict=True)) for row in found], notes
