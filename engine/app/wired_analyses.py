"""Builds the parts that run recorded calls again, with or without a change."""

from collections.abc import Callable
from typing import Any

from engine.app.wiring_parts import CallParts, Foundation
from engine.command_handlers.answers import AnswerCommands
from engine.command_handlers.file_triggers import FileTriggers
from engine.command_handlers.files import FileCommands
from engine.command_handlers.matched_columns import MatchedColumns
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.replays import ReplayCommands
from engine.command_handlers.rerun_previews import RerunPreviews
from engine.command_handlers.reruns import RerunCommands
from engine.command_handlers.standing import StandingCommands
from engine.command_handlers.standing_checks import CheckParts, StandingChecks
from engine.commands.catalog import CheckStandingQuestion, ReplayChat, RerunChat
from engine.replay.dry_runs import DryRuns
from engine.replay.past_tools import PastTools
from engine.replay.provenance.rows_behind import RowsBehind
from engine.replay.replay_calls import ReplayParts
from engine.replay.replays import Replays
from engine.replay.rerun_calls import RerunParts
from engine.replay.reruns import Reruns
from engine.replay.table_verdicts import TableVerdicts
from engine.tools.column_renaming import ColumnRenaming
from engine.tools.file_tables import TableReads

__all__ = ["LONG", "analysis_handlers", "answer_handlers", "wired_analyses", "wired_rows"]


def wired_analyses(
    on: Foundation, parts: CallParts, questions: QuestionCommands, files: FileCommands
) -> tuple[ReplayCommands, RerunCommands, RerunPreviews, StandingCommands]:
    """Return the handlers of the commands that run calls again, and the preview of new files before a re-run."""
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
    return replays, reruns, previews, _standing(on, parts, questions, previews)


def answer_handlers(on: Foundation) -> dict[type, Callable[[Any], Any]]:
    """Return the handlers of commands about answers."""
    return AnswerCommands(chats=on.chats, numbers=on.numbers, signals=on.signals, new_id=on.new_id).handlers()


def wired_rows(on: Foundation, parts: CallParts) -> RowsBehind:
    """Return the object that finds the input rows behind cells."""
    execution = parts.execution(lambda *_: lambda *_: None)
    return RowsBehind(chats=on.chats, workspaces=on.workspaces, execution=execution, new_id=on.new_id)


LONG = (ReplayChat, RerunChat, CheckStandingQuestion)
"""Commands that run calls for a long time. If the chat changes meanwhile, the calls are not run again: the handlers
only decide again which events to append.
"""


def analysis_handlers(
    replays: ReplayCommands, reruns: RerunCommands, standing: StandingCommands
) -> dict[type, Callable[[Any], Any]]:
    """Return each command's handler."""
    long: dict[type, Callable[[Any], Any]] = {
        ReplayChat: replays.replay,
        RerunChat: reruns.rerun,
        CheckStandingQuestion: standing.check,
    }
    return long | standing.handlers()


def _standing(
    on: Foundation, parts: CallParts, questions: QuestionCommands, previews: RerunPreviews
) -> StandingCommands:
    """Return the handlers of commands on standing questions."""
    tools = PastTools(on.toolbox, on.toolbox.as_of)
    dry_runs = DryRuns(
        chats=on.chats,
        workspaces=on.workspaces,
        execution=parts.execution(lambda *_: lambda *_: None),
        results=parts.results,
        tools=tools,
        tables=TableVerdicts(on.comparisons),
    )
    checks = StandingChecks(
        CheckParts(
            chats=on.chats,
            workspaces=on.workspaces,
            dry_runs=dry_runs,
            reruns=_reruns(on, parts),
            tools=tools,
            running=questions.tools.running,
            signals=on.signals,
            matched=MatchedColumns(on.chats, on.workspaces, previews.columns, ColumnRenaming(on.pool)),
            ended=questions.queue.turn_ended,
            new_id=on.new_id,
        )
    )
    triggers = FileTriggers(
        on.chats, checks, lambda: {row["chat_id"] for row in on.read("standing_questions")}
    )
    return StandingCommands(
        chats=on.chats,
        workspaces=on.workspaces,
        checks=checks,
        triggers=triggers,
        signals=on.signals,
        new_id=on.new_id,
    )


def _replays(on: Foundation, parts: CallParts) -> Replays:
    """Return the object that runs recorded calls again."""
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
    """Return the object that runs a branch again with a change."""
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
