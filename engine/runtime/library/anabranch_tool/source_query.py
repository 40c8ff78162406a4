"""Runs one SELECT in a source: checks the SELECT, runs it, and returns its whole result."""

import time
from dataclasses import dataclass
from typing import Any

from anabranch_tool import progress
from anabranch_tool.context import given
from anabranch_tool.source_connections import connect
from anabranch_tool.source_results import Collected, collect
from anabranch_tool.source_statements import check

__all__ = ["Captured", "capture"]

_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class Captured:
    """A source's result, and the facts about its statement."""

    rows: Collected
    source: dict[str, Any]
    """Facts for the call's record: `name`, `driver`, `server`, `tables`, `snapshot`, `read_at`, `seconds` and the
    `sql`."""


def capture(sql: str) -> Captured:
    """Query the call's source, and return its whole answer.

    Raises:
        ToolError: the statement does more than read, or the source did not answer.
    """
    source = given["source"]
    statement = check(sql, source)
    progress(None, f"Asking {source['name']}")
    connection = connect(source)
    try:
        server, snapshot = connection.server(), connection.snapshot()
        progress(None, f"{source['name']} is running the query")
        began = time.monotonic()
        rows = collect(connection.read(statement.sql), source)
        seconds = round(time.monotonic() - began, 3)
        if as_text := connection.as_text():
            rows.notes.append(_told_as_text(as_text))
    finally:
        connection.close()
    told = {
        "name": source["name"],
        "driver": source["driver"],
        "server": server,
        "tables": list(statement.tables),
        "snapshot": snapshot["id"],
        "read_at": snapshot["at"],
        "seconds": seconds,
        "sql": statement.sql,
    }
    return Captured(rows, told)


def _told_as_text(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    listed = ", ".join(names[:_MOST_NAMES])
    why = "because Parquet does not have their type or cannot store all of their values"
    return f"These columns were read as text, {why}: {listed}{more}."
