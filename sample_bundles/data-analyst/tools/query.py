"""Runs one SELECT and saves its result as a new table."""

import json
from pathlib import Path
from typing import Any

from anabranch_tool.result_names import FOLDER, free_name
from anabranch_tool.samples import sample_rows
from anabranch_tool.tables import write_result
from tools.select import Result, run_select
from tools.source import run_at_source

RESULT_BYTES = 8_000
"""The maximum size of the result's JSON in bytes; the saved table contains every row."""
_MOST_COLUMNS = 60


def run(
    workspace: Path, sql: str, title: str | None = None, name: str | None = None, source: str | None = None
) -> dict[str, Any]:
    """Run the SELECT and return the result's name, size, columns and first rows. All rows are saved in
    `results/NAME.parquet`.

    With `source`, the SELECT runs there instead of over the workspace's tables.
    """
    result = run_select(workspace, sql) if source is None else run_at_source(sql)
    try:
        table = free_name(workspace, name, title)
        file = f"{FOLDER}/{table}.parquet"
        write_result(result.opened.connection, "result", workspace / file, result.notes)
        answer = _answer(result, table)
    finally:
        result.opened.close()
    return {
        **answer,
        **({"source": result.source} if result.source else {}),
        "_file": file,
        "_title": title or table.replace("_", " ").capitalize(),
        "_shown": len(answer["rows"]),
        "_notes": result.notes,
    }


def _answer(result: Result, table: str) -> dict[str, Any]:
    """Return the part for the model, at most 8 KB of JSON."""
    columns, notes = result.columns, list(result.notes)
    if len(columns) > _MOST_COLUMNS:
        shown = f"The first {_MOST_COLUMNS} of {len(columns):,} columns are shown"
        notes.append(f"{shown}; the table {table} has all of them.")
        columns = columns[:_MOST_COLUMNS]
    answer: dict[str, Any] = {
        "table": table,
        "columns": columns,
        "rows": [],
        "row_count": result.rows,
        "notes": notes,
    }
    room = RESULT_BYTES - 300 - len(json.dumps(answer, ensure_ascii=False).encode())
    sample = sample_rows((row[: len(columns)] for row in result.rows_from_start()), room)
    answer["rows"] = sample.rows
    notes += sample.notes(result.rows, table)
    return answer
