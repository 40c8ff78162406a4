"""Previews of calls, and the steps that shape a table: each is SQL that runs as the user's own call."""

from collections.abc import Mapping

from engine.command_handlers.tool_runs import ToolRuns
from engine.tools.call_previews import CallPreview, CallPreviews
from engine.tools.table_selects import TableSelects
from events.canonical import JSON

__all__ = ["ShapingCommands"]


class ShapingCommands:
    """Handles them. Safe for several threads."""

    def __init__(self, runs: ToolRuns, previews: CallPreviews, selects: TableSelects) -> None:
        self._runs = runs
        self._previews = previews
        self._selects = selects

    def preview_call(
        self, chat_id: str, tool_id: str, arguments: Mapping[str, JSON], seconds: float
    ) -> CallPreview:
        """See `ShapeQueries.preview_call`."""
        return self._previews.run(chat_id, self._runs.runnable(tool_id), dict(arguments), seconds)

    def columns_of(self, chat_id: str, sql: str) -> tuple[tuple[str, str], ...]:
        """See `ShapeQueries.columns_of`."""
        (found,) = self._selects.run(chat_id, [f"SELECT * FROM (\n{sql}\n) LIMIT 0"])
        return tuple(zip(found.columns, found.types, strict=True))
