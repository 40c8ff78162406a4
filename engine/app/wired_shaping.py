"""Builds the parts that preview calls and shape tables."""

from engine.app.wiring_parts import CallParts, Foundation
from engine.command_handlers.shaping import ShapingCommands
from engine.command_handlers.tool_runs import ToolRuns
from engine.tools.call_previews import CallPreviews
from engine.tools.call_results import CallResults
from engine.tools.file_tables import TableReads
from engine.tools.table_selects import TableSelects

__all__ = ["wired_shaping"]


def wired_shaping(on: Foundation, parts: CallParts, runs: ToolRuns) -> ShapingCommands:
    """Return the handler of the commands and queries for shaping tables; `runs` runs the user's own calls."""
    previews = CallPreviews(
        chats=on.chats,
        workspaces=on.workspaces,
        execution=parts.execution(lambda *_: lambda *_: None),
        results=CallResults(on.workspaces, None, TableReads(on.workspaces, on.pool, on.tables)),
        new_id=on.new_id,
    )
    selects = TableSelects(on.chats, on.workspaces, on.pool, on.tables, on.new_id)
    return ShapingCommands(runs, previews, selects)
