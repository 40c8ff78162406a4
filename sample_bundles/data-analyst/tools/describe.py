"""Describes the workspace's tables: columns, types, ranges, missing and unreadable values, notes about the files."""

import json
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.joins import find_joins
from anabranch_tool.tables import open_tables, profile
from tools.source import describe_source

MOST_BYTES = 8_000
"""The maximum size of the result's JSON in bytes."""
_VALUES = 8
_LONGEST = 60
_MOST_JOINS = 12
_LEVELS = ((_VALUES, 400), (3, 60), (0, 25), (0, 8))
"""How many values and columns to list for each table, from the most detailed description to the shortest."""


def run(
    workspace: Path, table: str | None = None, source: str | None = None, like: str | None = None
) -> dict[str, Any]:
    """Describe all tables, or only `table`, in at most 8 KB; the result says what was left out.

    With `source`, list the source's tables instead; `like` selects the tables with this text in their names.
    """
    if source is not None:
        return describe_source(table, like)
    if like is not None:
        raise ToolError("`like` finds tables of a source: name the source with `source`.")
    found = profile(workspace)
    tables = found["tables"]
    joins = _joins(workspace, tables, table)
    if table is not None:
        tables = [item for item in tables if table.lower() in (item["name"].lower(), item["path"].lower())]
        if not tables:
            names = ", ".join(item["name"] for item in found["tables"]) or "none"
            raise ToolError(f"There is no table “{table}”. The tables are: {names}.")
    unread = [{"path": path, "reason": why[:200]} for path, why in sorted(found["unread"].items())]
    for values, columns in _LEVELS:
        answer = _answer(tables, unread if table is None else [], values, columns) | joins
        if _size(answer) <= MOST_BYTES:
            return answer
    return _names(tables, unread if table is None else [])


def _joins(workspace: Path, tables: list[dict[str, Any]], table: str | None) -> dict[str, Any]:
    """Return which columns match columns of other tables, with the share of their values that the other column
    contains."""
    if len(tables) < 2:
        return {}
    opened = open_tables(workspace)
    try:
        found = find_joins(opened.connection, tables)
    finally:
        opened.close()
    told = [
        f"{one['left']}.{one['left_column']} = {one['right']}.{one['right_column']} "
        f"({one['share']:.0%} of its values found{'' if one['each_once'] else ', several rows each'})"
        for one in found
        if table is None or table.lower() in (one["left"].lower(), one["right"].lower())
    ]
    more = [f"and {len(told) - _MOST_JOINS} more"] if len(told) > _MOST_JOINS else []
    return {"joins": [*told[:_MOST_JOINS], *more]} if told else {}


def _size(answer: dict[str, Any]) -> int:
    return len(json.dumps(answer, ensure_ascii=False).encode())


def _answer(
    tables: list[dict[str, Any]], unread: list[dict[str, str]], values: int, columns: int
) -> dict[str, Any]:
    told = []
    cut = values < _VALUES
    for item in tables:
        # if not all columns can be listed, columns with unreadable values come first
        listed = item["columns"]
        if len(listed) > columns:
            listed = sorted(listed, key=lambda column: not column["unreadable"])[:columns]
        one = {
            key: item[key]
            for key in ("name", "path", "sheet", "rows", "notes")
            if item[key] not in (None, [])
        }
        one["columns"] = [_column(column, values) for column in listed]
        if len(listed) < len(item["columns"]):
            one["columns_left_out"] = len(item["columns"]) - len(listed)
            cut = True
        told.append(one)
    answer: dict[str, Any] = {"tables": told}
    if unread:
        answer["unread"] = unread
    if cut:
        answer["note"] = "Cut to 8 KB. To see more, name one table, or use SUMMARIZE in SQL."
    return answer


def _column(column: dict[str, Any], values: int) -> dict[str, Any]:
    told = {"name": column["name"], "type": column["type"]}
    for key in ("missing", "unreadable"):
        if column[key]:
            told[key] = column[key]
    if column["unreadable_examples"]:
        told["unreadable_examples"] = column["unreadable_examples"]
    told["about_distinct" if column["distinct_estimated"] else "distinct"] = column["distinct"]
    for key in ("minimum", "maximum"):
        if column[key] is not None:
            told[key] = column[key][:_LONGEST]
    if values and column["type"] in ("VARCHAR", "BOOLEAN"):
        told["examples"] = [value[:_LONGEST] for value in column["values"][:values]]
    if column["notes"] and not column["unreadable"]:
        told["notes"] = column["notes"]
    return told


def _names(tables: list[dict[str, Any]], unread: list[dict[str, str]]) -> dict[str, Any]:
    """Return only the tables' names and sizes, as many as fit."""
    answer: dict[str, Any] = {
        "tables": [],
        "note": "There is too much for 8 KB: name one table to see its columns.",
    }
    for item in tables:
        one = {"name": item["name"], "rows": item["rows"], "columns": len(item["columns"])}
        notes = [text for column in item["columns"] if column["unreadable"] for text in column["notes"]]
        if item["notes"] or notes:
            one["notes"] = [text[:200] for text in [*item["notes"], *notes][:3]]
        answer["tables"].append(one)
        if _size(answer) > MOST_BYTES - 200:
            answer["tables"].pop()
            answer["tables_left_out"] = len(tables) - len(answer["tables"])
            break
    if unread and _size({**answer, "unread": unread}) <= MOST_BYTES:
        answer["unread"] = unread
    return answer
