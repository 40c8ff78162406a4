"""Finds where and when a call read a source, from the call's result. Pure."""

from collections.abc import Mapping
from datetime import datetime

from engine.tools.sources.offer import QUERY, source_asked
from engine.views.chat import CallView
from events.late_dataclass import dataclass

__all__ = ["SourceReading", "source_reading", "sql_over_files"]


@dataclass(frozen=True, slots=True)
class SourceReading:
    """Where and when a call read a source, and how many rows."""

    name: str
    tables: tuple[str, ...]
    """The tables' names with the source's name in front: `warehouse.sales.refunds`."""
    read_at: datetime
    rows: int
    """The number of rows that were recorded."""


def source_reading(call: CallView) -> SourceReading | None:
    """Return where and when a query read a source; None if it read no source."""
    result = call.result
    source = result.get("source") if isinstance(result, Mapping) and call.tool_id == QUERY else None
    if not isinstance(result, Mapping) or not isinstance(source, Mapping):
        return None
    match source, result.get("row_count"):
        case {"name": str(name), "tables": list(tables), "read_at": str(read_at)}, int(rows):
            try:
                when = datetime.fromisoformat(read_at)
            except ValueError:
                return None
            return SourceReading(name, tuple(f"{name}.{table}" for table in tables), when, rows)
    return None


def sql_over_files(call: CallView, sql: str | None) -> str | None:
    """Return the SQL of a result if it reads the chat's tables; None if it ran in a source.

    A table in a source may have the same name as one of the chat's tables.
    """
    return sql if source_asked(call.tool_id, call.args) is None else None
