"""Loads and profiles the workspace's tables: columns, types, ranges, missing values, the most frequent texts."""

from pathlib import Path
from typing import Any

from anabranch_tool.tables import profile

_VALUES_SHOWN = 8


def run(workspace: Path, table: str | None = None) -> dict[str, Any]:
    """Describe every table, or the one that `table` names."""
    found = profile(workspace)
    tables = found["tables"]
    if table is not None:
        wanted = [item for item in tables if table.lower() in (item["name"].lower(), item["path"].lower())]
        if not wanted:
            names = ", ".join(item["name"] for item in tables) or "none"
            raise ValueError(f"There is no table “{table}”. The tables are: {names}.")
        tables = wanted
    told = [{**item, "columns": [_brief(column) for column in item["columns"]]} for item in tables]
    answer: dict[str, Any] = {"tables": told}
    if found["unread"] and table is None:
        answer["unread"] = [
            {"path": path, "reason": reason} for path, reason in sorted(found["unread"].items())
        ]
    return answer


def _brief(column: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": column["name"],
        "type": column["type"],
        "missing": column["missing"],
        "distinct": column["distinct"],
        "minimum": column["minimum"],
        "maximum": column["maximum"],
        "examples": ", ".join(column["values"][:_VALUES_SHOWN]),
    }
