"""Builds the parts of an app, from its log, folders and tools to its turns and command handlers."""

from collections.abc import Callable
from typing import Any

from engine.app.wired_analyses import LONG, analysis_handlers, answer_handlers, wired_analyses, wired_rows
from engine.app.wired_shaping import wired_shaping
from engine.app.wiring_parts import CallParts, Foundation
from engine.chats.conflicts import retry_conflicts
from engine.command_handlers.chats import ChatCommands
from engine.command_handlers.confirmations import ConfirmationCommands
from engine.command_handlers.definitions import DefinitionCommands
from engine.command_handlers.files import FileCommands
from engine.command_handlers.folder_sync import with_folders
from engine.command_handlers.locations import LocationCommands
from engine.command_handlers.moments import MomentCommands, moment_handlers
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.registry import handlers
from engine.command_handlers.replays import ReplayCommands
from engine.command_handlers.rerun_previews import RerunPreviews
from engine.command_handlers.reruns import RerunCommands
from engine.command_handlers.shaping import ShapingCommands
from engine.command_handlers.sources import SourceCommands
from engine.command_handlers.standing import StandingCommands
from engine.command_handlers.starting import Starter
from engine.commands.catalog import ReceiveFile, ShapeTable
from engine.replay.provenance.rows_behind import RowsBehind
from engine.runtime.pool import OnProgress
from engine.tools.call_execution import CallExecution
from engine.tools.call_log import CallLog
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.call_results import CallResults
from engine.tools.call_runner import Calls
from engine.tools.file_tables import TableReads
from engine.tools.mcp_calls import RemoteCalls
from engine.tools.moment_names import MomentNames
from engine.tools.name_moment import MomentCalls
from engine.tools.query_history import HistoryCalls
from engine.tools.remember import RememberCalls
from engine.tools.skills import SkillCalls
from engine.tools.sources.calls import SourceCalls
from engine.turn.parts import TurnParts
from engine.turn.running_turns import RunningTurns
from events.late_dataclass import dataclass

__all__ = ["Commands", "wired_calls", "wired_commands", "wired_turns"]


def wired_calls(on: Foundation) -> CallParts:
    """Return the parts that run tool calls and make their results."""
    settings = on.settings.current
    results = CallResults(on.workspaces, on.charts, TableReads(on.workspaces, on.pool, on.tables))
    log = CallLog(on.chats, on.workspaces, on.signals, on.new_id, results)

    def execution(progress: Callable[[Branch, PlannedCall], OnProgress]) -> CallExecution:
        return CallExecution(
            chats=on.chats,
            workspaces=on.workspaces,
            pool=on.pool,
            tables=on.tables,
            granted=on.toolbox.environment_of,
            sources=SourceCalls(on.sources),
            remote=RemoteCalls(on.mcp, on.workspaces),
            history=HistoryCalls(on.pool, on.reads.write_parquet, lambda: settings().history_of_all_chats),
            skills=SkillCalls(on.toolbox, on.read, on.data),
            remember=RememberCalls(on.definitions),
            moments=MomentCalls(_moment_names(on)),
            code=on.toolbox.code,
            progress=progress,
        )

    calls = Calls(chats=on.chats, workspaces=on.workspaces, log=log, execution=execution(log.progress))
    return CallParts(calls, execution, results)


def wired_turns(on: Foundation, calls: Calls, after: Callable[[], None]) -> RunningTurns:
    """Return the object that runs turns; `after` is called when the last running turn has ended."""
    toolbox, settings = on.toolbox, on.settings.current
    parts = TurnParts(
        chats=on.chats,
        workspaces=on.workspaces,
        calls=calls,
        tables=on.tables,
        signals=on.signals,
        offer=lambda state: toolbox.offered(state.selection) if settings().tools_on else (),
        find=toolbox.find,
        skills=lambda state: toolbox.skills(state.selection),
        sources=on.sources.listed,
        definitions=on.definitions.in_force,
        traced=on.numbers.of_reply,
        clock=on.clock,
        new_id=on.new_id,
    )
    on.chats.dropped = parts.before.drop  # prepared data is useless once the chat's state is dropped
    return RunningTurns(parts, on.signals, begins=on.pool.warm, after=after)


@dataclass(frozen=True, slots=True)
class Commands:
    """The command handlers. Other parts also use the handlers of questions and re-runs."""

    questions: QuestionCommands
    replays: ReplayCommands
    reruns: RerunCommands
    previews: RerunPreviews
    standing: StandingCommands
    shaping: ShapingCommands
    rows: RowsBehind
    handlers: dict[type, Callable[[Any], Any]]


def wired_commands(on: Foundation, parts: CallParts, turns: RunningTurns) -> Commands:
    """Return the handler of each command."""
    files = FileCommands(chats=on.chats, workspaces=on.workspaces, signals=on.signals, new_id=on.new_id)
    chats = _chats(on, turns)
    starter = _starter(on, turns)
    questions = _questions(on, parts, turns, files, chats, starter)
    confirmations = ConfirmationCommands(
        chats=on.chats,
        workspaces=on.workspaces,
        toolbox=on.toolbox,
        signals=on.signals,
        starter=starter,
    )
    turns.ended = questions.queue.turn_ended
    replays, reruns, previews, standing = wired_analyses(on, parts, questions, files)
    handled = handlers(
        chats,
        files,
        questions,
        confirmations,
        on.toolsets,
        DefinitionCommands(on.definitions, on.signals),
        on.settings,
    )
    shaping = wired_shaping(on, parts, questions.tools)
    handled |= _more_handlers(on) | analysis_handlers(replays, reruns, standing)
    handled[ShapeTable] = shaping.shape
    return Commands(
        questions,
        replays,
        reruns,
        previews,
        standing,
        shaping,
        wired_rows(on, parts),
        with_folders(_retrying(handled), on.workspaces, on.signals),
    )


def _chats(on: Foundation, turns: RunningTurns) -> ChatCommands:
    return ChatCommands(
        log=on.log,
        chats=on.chats,
        workspaces=on.workspaces,
        turns=turns,
        signals=on.signals,
        models=on.providers.models,
        new_id=on.new_id,
        default_selection=on.default_selection,
        default_model=lambda: on.settings.current().model,
    )


def _questions(
    on: Foundation,
    parts: CallParts,
    turns: RunningTurns,
    files: FileCommands,
    chats: ChatCommands,
    starter: Starter,
) -> QuestionCommands:
    return QuestionCommands(
        chats=on.chats,
        workspaces=on.workspaces,
        files=files,
        calls=parts.calls,
        toolbox=on.toolbox,
        turns=turns,
        signals=on.signals,
        starter=starter,
        begun=chats.begun,
        tools_on=lambda: on.settings.current().tools_on,
        new_id=on.new_id,
    )


def _more_handlers(on: Foundation) -> dict[type, Callable[[Any], Any]]:
    moments = MomentCommands(on.chats, _moment_names(on), on.signals)
    locations = LocationCommands(on.workspaces.locations, on.tables)
    sources = SourceCommands(on.sources)
    return moment_handlers(moments) | answer_handlers(on) | locations.handlers() | sources.handlers()


_ONCE = (ReceiveFile, *LONG)
"""Commands that are not handled again as a whole; see `_retried`."""


def _moment_names(on: Foundation) -> MomentNames:
    return MomentNames(on.chats, on.tables, on.new_id)


def _retrying(handled: dict[type, Callable[[Any], Any]]) -> dict[type, Callable[[Any], Any]]:
    return {kind: handle if kind in _ONCE else _retried(handle) for kind, handle in handled.items()}


def _retried(handle: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a handler that handles a command again if its first try recorded nothing because another writer appended
    to the stream meanwhile.

    It is not used for the commands in `_ONCE`: the bytes of `ReceiveFile` arrive only once, and the other commands take
    a long time. After a conflict, the handlers of these commands only decide again which events to append.
    """
    return lambda command: retry_conflicts(lambda: handle(command))


def _starter(on: Foundation, turns: RunningTurns) -> Starter:
    return Starter(
        chats=on.chats,
        turns=turns,
        models=on.providers.models,
        settings=on.settings.current,
        clock=on.clock,
        new_id=on.new_id,
        bounds=on.bounds,
    )
