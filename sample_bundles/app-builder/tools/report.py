"""Puts findings into the shape that artifacts/report.html draws. It computes nothing, so it can invent nothing."""

from pathlib import Path
from typing import Any


def run(
    workspace: Path,
    title: str,
    *,
    summary: str = "",
    figures: list[dict[str, Any]] | None = None,
    bars: list[dict[str, Any]] | None = None,
    table: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the page's data.

    Raises:
        ValueError: a row of the table has another number of cells than there are columns.
    """
    if table is not None:
        width = len(table["columns"])
        for number, row in enumerate(table["rows"], 1):
            if len(row) != width:
                raise ValueError(f"row {number} of the table has {len(row)} cells; there are {width} columns")
    return {
        "title": title,
        "summary": [part.strip() for part in summary.split("\n\n") if part.strip()],
        "figures": figures or [],
        "bars": bars or [],
        "table": table,
    }
