"""Checks the content of a Vega-Lite specification, and finds the columns that it names."""

import json
import re
from collections.abc import Iterator
from typing import Any

from anabranch_tool import ToolError
from tools.chart_columns import Column, no_column

__all__ = ["check_fields", "forbidden", "keys_of", "mentioned", "plain_name"]

_DEPTH = 60
_FETCHING = ("url", "href", "usermeta", "bind")
_MARKS = {
    *[
        "arc",
        "area",
        "bar",
        "boxplot",
        "circle",
        "errorband",
        "errorbar",
        "geoshape",
        "line",
        "point",
        "rect",
        "rule",
        "square",
        "text",
        "tick",
        "trail",
    ]
}


def forbidden(node: Any, place: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _DEPTH:
        yield place, f"is nested more than {_DEPTH} levels deep. Make the chart simpler."
    elif isinstance(node, list):
        for at, item in enumerate(node):
            yield from forbidden(item, f"{place}[{at}]", depth + 1)
    elif isinstance(node, dict):
        for key, item in node.items():
            here = f"{place}.{key}"
            if (
                key in ("data", "datasets")
                and depth < _DEPTH
                and not (key == "data" and isinstance(item, str))
            ):
                yield (
                    here,
                    "must be left out: the rows come from sql or table. Put other data into the SQL, "
                    "for instance with UNION ALL.",
                )
            elif key in _FETCHING and not (key == "bind" and isinstance(item, str) and item == "scales"):
                yield (
                    here,
                    "is not possible: a chart cannot load data, contain links or have widgets. Leave it out.",
                )
            elif key in ("mark", "type") and item == "image":
                yield here, "is not possible: image marks would load pictures. Use mark point or text."
            elif (
                key == "mark"
                and (item["type"] if isinstance(item, dict) and "type" in item else item) not in _MARKS
                and place != "spec.config"
            ):
                yield here, f"is not a mark. Marks are: {', '.join(sorted(_MARKS))}."
            elif key == "lookup" and place.endswith("]"):
                yield here, "needs a second table, which a chart cannot load. Join in the SQL instead."
            else:
                yield from forbidden(item, here, depth + 1)


def check_fields(spec: dict[str, Any], columns: list[Column]) -> None:
    if any(key == "pivot" for key in keys_of(spec)):
        return  # a pivot names its columns after values
    names = {c.name for c in columns} | set(_made(spec))
    for field in _fields(spec):
        plain = plain_name(field)
        if plain not in names and field not in names and plain.split(".")[0] not in names:
            raise ToolError(no_column(columns, plain, "spec"))
    for column in columns:
        if column.kind == "other" and column.name in set(map(plain_name, _fields(spec))):
            raise ToolError(
                f"spec: “{column.name}” is of type {column.type}, which cannot be drawn. Take one value "
                "out of it in the SQL."
            )


def plain_name(field: str) -> str:
    """Return a field's name without Vega's escape characters."""
    found = re.fullmatch(r"\[(['\"])(.*)\1\]", field)
    return re.sub(r"\\(.)", r"\1", found[2] if found else field)


def keys_of(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, item in node.items():
            yield key
            yield from keys_of(item)
    elif isinstance(node, list):
        for item in node:
            yield from keys_of(item)


def _made(node: Any) -> Iterator[str]:
    """Yield the names of the fields that transforms create."""
    if isinstance(node, list):
        for item in node:
            yield from _made(item)
    elif isinstance(node, dict):
        for key, item in node.items():
            if key == "as":
                yield from (item if isinstance(item, list) else [item])
            elif key == "transform" and isinstance(item, list):
                for step in item:
                    yield from _defaults(step)
                yield from _made(item)
            else:
                yield from _made(item)


def _defaults(step: Any) -> Iterator[str]:
    if isinstance(step, dict) and "as" not in step:
        yield from ("key", "value", "density", "prob", "index")
        for item in step.get("aggregate", ()) if isinstance(step.get("aggregate"), list) else ():
            yield f"{item.get('op')}_{item.get('field', '')}".rstrip("_")


def _fields(node: Any, inside_repeat: bool = False) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            if inside_repeat and isinstance(item, str):
                yield item
            else:
                yield from _fields(item, inside_repeat)
    elif isinstance(node, dict):
        for key, item in node.items():
            if key == "field" and isinstance(item, str):
                yield item
            elif key == "groupby" and isinstance(item, list):
                yield from (name for name in item if isinstance(name, str))
            elif key != "config":
                yield from _fields(item, key == "repeat")


def mentioned(spec: dict[str, Any], columns: list[Column]) -> list[Column]:
    """Return the columns that the specification mentions anywhere, including in expressions and tooltips."""
    text = json.dumps(spec, ensure_ascii=False)
    if re.search(r'"content":\s*"data"', text):
        return [c for c in columns if c.kind != "other"]
    return [
        c
        for c in columns
        if c.name in text
        or json.dumps(c.name, ensure_ascii=False)[1:-1] in text
        or c.name in map(plain_name, _fields(spec))
    ]
