"""Puts together what runs recorded calls again: as they were, and with something changed."""

from engine.app.wiring_parts import CallParts, Foundation
from engine.command_handlers.files import FileCommands
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.replays import ReplayCommands
from engine.command_handlers.rerun_previews import RerunPreviews
from engine.command_handlers.reruns import RerunCommands
from engine.replay.past_tools import PastTools
from engine.replay.replay_calls import ReplayParts
from engine.replay.replays import Replays
from engine.replay.rerun_calls import RerunParts
from engine.replay.reruns import Reruns
from engine.replay.table_verdicts import TableVerdicts
from engine.tools.column_renaming import ColumnRenaming
from engine.tools.file_tables import TableReads

__all__ = ["wired_analyses"]


def wired_analyses(
    on: Foundation, parts: CallParts, questions: QuestionCommands, files: FileCommands
) -> tuple[ReplayCommands, RerunCommands]:
    """Return the handlers of both commands."""
    running = questions.tools.running
    replays = ReplayCommands(
        chats=on.chats, replays=_replays(on, parts), running=running, signals=on.signals, new_id=on.new_id
    )
    again = _reruns(on, parts)
    previews = RerunPreviews(
        chats=on.chats,
        workspaces=on.workspaces,
        reruns=again,
        tables=on.tables,
        reads=TableReads(on.workspaces, on.pool, on.tables),
        new_id=on.new_id,
    )
    reruns = RerunCommands(
        chats=on.chats,
        workspaces=on.workspaces,
        files=files,
        reruns=again,
        previews=previews,
        renaming=ColumnRenaming(on.pool),
        running=running,
        signals=on.signals,
        ended=questions.queue.turn_ended,
        new_id=on.new_id,
    )
    return replays, reruns


def _replays(on: Foundation, parts: CallParts) -> Replays:
    """Return what runs recorded calls again."""
    return Replays(
        ReplayParts(
            chats=on.chats,
            workspaces=on.workspaces,
            execution=parts.execution(lambda *_: lambda *_: None),
            results=parts.results,
            tools=PastTools(on.toolbox, on.toolbox.as_of),
            tables=TableVerdicts(on.comparisons),
        )
    )


def _reruns(on: Foundation, parts: CallParts) -> Reruns:
    """Return what runs a branch again with something changed."""
    compares = TableVerdicts(on.comparisons)
    return Reruns(
        RerunParts(
            chats=on.chats,
            workspaces=on.workspaces,
            calls=parts.calls,
            tools=PastTools(on.toolbox, on.toolbox.as_of),
            tables=lambda chat_id: compares(chat_id, on.workspaces.blobs(chat_id)),
            new_id=on.new_id,
        )
    )
