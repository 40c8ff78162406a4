"""A turn: from a user's message to the answer, step by step. A process over injected parts; its state is in the events.

Each step is one request to the model and the calls that its reply makes. What happened is appended as it happens; what
is only on its way is told to those who watch.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal, Protocol

from engine.cancel import Cancel
from engine.chats import Chats
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError
from engine.folders import ChatFolder, Folders
from engine.keeping import keep, keep_text
from engine.messages import CallPart
from engine.models.model import Model, ModelRequest
from engine.signals import LiveCall, Signals
from engine.tools.naming import wire_names
from engine.tools.planned import Branch, PlannedCall
from engine.tools.run import Calls
from engine.tools.tables import Tables
from engine.tools.tool import Tool
from engine.turn.history import history
from engine.turn.limits import Repeats, steps_allowed, total
from engine.turn.planning import plan_call
from engine.turn.rebuilt import tools_text
from engine.turn.step import Reply, ReplyCall, gather
from engine.turn.system_text import system_text
from engine.workspace.blobs import BlobStore
from events.catalog.chat import MessageAdded, MessageUsage
from events.catalog.turn import (
    StepStarted,
    ToolCallRequested,
    TurnFinish,
    TurnFinished,
)
from events.event import Event
from events.identity import Clock, NewId

__all__ = ["Turn", "TurnParts", "TurnRules", "run_turn"]


class Offer(Protocol):
    """Which tools a chat's selection offers now."""

    def __call__(self, state: ChatState) -> Sequence[Tool]: ...


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What turns are made of."""

    chats: Chats
    folders: Folders
    calls: Calls
    tables: Tables
    signals: Signals
    offer: Offer
    clock: Clock
    new_id: NewId


@dataclass(frozen=True, slots=True)
class TurnRules:
    """The user's settings as they were when the turn began."""

    max_steps: int = 5
    max_steps_on: bool = True
    instructions: str = ""
    allow_confirmations: bool = False


@dataclass(slots=True)
class Turn:
    """One running turn."""

    chat_id: str
    turn_id: str
    message_id: str
    """Its last message so far; at first the question."""
    model_name: str
    model: Model
    rules: TurnRules
    cancel: Cancel = field(default_factory=Cancel)
    closing: bool = False
    """Stopped because the app closes, not by the user."""
    replies: list[Reply] = field(default_factory=list)
    repeats: Repeats = field(default_factory=Repeats)
    began: float = field(default_factory=time.monotonic)

    def stopped_as(self) -> Literal["interrupted", "cancelled"]:
        """How it ends, and its calls, where it is stopped."""
        return "interrupted" if self.closing else "cancelled"


@dataclass(frozen=True, slots=True)
class _End:
    reason: TurnFinish
    message: str | None = None


def run_turn(parts: TurnParts, turn: Turn) -> None:
    """Run a turn that has started to its end; the end is appended whatever happens."""
    end = _stopped(turn)
    try:
        with parts.folders.leased(turn.chat_id, turn.turn_id) as folder:
            end = _steps(parts, turn, folder)
    except AnabranchError as error:
        end = _End("error", error.message)
    except OSError as error:
        end = _End("error", f"The system refused: {error}. See that the disk has room, then retry.")
        raise
    except Exception as error:
        first = (str(error).splitlines() or [""])[0][:200]
        end = _End("error", f"Anabranch itself failed here ({type(error).__name__}: {first}). Retry.")
        raise
    finally:
        _append(parts, turn, lambda _: [_finished(turn, end)])
        parts.signals.end(turn.chat_id, turn.turn_id, end.reason)


def _steps(parts: TurnParts, turn: Turn, folder: ChatFolder) -> _End:
    with parts.chats.locked(turn.chat_id) as state:
        manifest_id = state.manifest_at(turn.message_id)
        files = state.files(manifest_id)
    folder.bring(manifest_id, files)
    branch = Branch(turn.chat_id, turn.turn_id, turn.message_id, manifest_id, folder, turn.stopped_as)
    allowed = steps_allowed(turn.rules.max_steps, on=turn.rules.max_steps_on)
    for number in count(1):
        last = number > allowed or turn.repeats.ends_turn
        reply, offered = _ask_model(parts, turn, branch, number, last)
        turn.replies.append(reply)
        ended = _ended(turn, reply, last)
        planned = [] if ended else _planned(turn, reply, offered)
        if ended and ended.reason in ("cancelled", "interrupted"):
            reply.finish = "cancelled"
        _add_message(parts, turn, branch, reply, planned)
        if ended:
            return ended
        parts.signals.step(turn.chat_id, turn.turn_id)
        parts.calls.run(branch, planned, turn.cancel)
        if turn.cancel.is_set:
            return _stopped(turn)
    raise AssertionError("unreachable")


def _ask_model(
    parts: TurnParts, turn: Turn, branch: Branch, number: int, last: bool
) -> tuple[Reply, dict[str, Tool]]:
    """Build one request, record what made it, and read the reply."""
    blobs = parts.folders.blobs(turn.chat_id)
    with parts.chats.locked(turn.chat_id) as state:
        path = state.path(turn.message_id)
        messages = history(state, path, blobs)
        files = state.files(branch.manifest_id)
        offered = {} if last else wire_names(parts.offer(state))
    seen = parts.tables.look(files, branch.folder.workspace.folder, turn.cancel)
    request = ModelRequest(
        model=turn.model_name.partition(":")[2],
        system=system_text(
            now=parts.clock(),
            tables=seen.tables,
            unread=seen.unread,
            instructions=turn.rules.instructions,
            limit_reached=last,
        ),
        messages=messages,
        tools=tuple(tool.spec(name) for name, tool in offered.items()),
        tables=seen.tables,
    )
    started = StepStarted(
        turn_id=turn.turn_id,
        step=number,
        model=turn.model_name,
        parameters=dict(request.parameters),
        system=keep_text(request.system, blobs),
        tools=keep_text(tools_text(request.tools), blobs),
        tool_ids={name: tool.tool_id for name, tool in offered.items()},
        manifest_id=branch.manifest_id,
        message_ids=tuple(message.message_id for message in path),
    )
    _append(parts, turn, lambda _: [started])
    return _read(parts, turn, request, offered), offered


def _read(parts: TurnParts, turn: Turn, request: ModelRequest, offered: dict[str, Tool]) -> Reply:
    def on_call(call: ReplyCall) -> None:
        tool = offered.get(call.name)
        name, toolset = (tool.name, tool.toolset_name) if tool else (call.name, "")
        parts.signals.call(turn.chat_id, turn.turn_id, LiveCall(call.call_id, name, toolset, "pending"))

    began = time.monotonic()
    reply = gather(
        turn.model.stream(request, turn.cancel),
        parts.new_id,
        on_text=lambda text: parts.signals.text(turn.chat_id, turn.turn_id, text),
        on_call=on_call,
    )
    reply.seconds = time.monotonic() - began
    return reply


def _ended(turn: Turn, reply: Reply, last: bool) -> _End | None:
    """How the turn ends with this reply; None where its calls are to be run."""
    if turn.cancel.is_set or reply.finish == "cancelled":
        return _stopped(turn)
    if reply.finish == "error":
        return _End("error", reply.error)
    if reply.finish in ("length", "content_filter"):
        return _End("length" if reply.finish == "length" else "content_filter")
    if last:
        return _End("limit")
    return None if reply.calls else _End("stop")


def _stopped(turn: Turn) -> _End:
    return _End(turn.stopped_as())


def _planned(turn: Turn, reply: Reply, offered: dict[str, Tool]) -> list[PlannedCall]:
    planned = [plan_call(call, offered, turn.repeats, turn.rules.allow_confirmations) for call in reply.calls]
    return [replace(call, commentary="" if index else reply.text) for index, call in enumerate(planned)]


def _add_message(
    parts: TurnParts, turn: Turn, branch: Branch, reply: Reply, planned: Sequence[PlannedCall]
) -> None:
    """Append the step's message together with the requests of its calls; those that will not be run are left out."""
    blobs = parts.folders.blobs(turn.chat_id)
    known = {call.call_id for call in planned}
    kept = tuple(part for part in reply.parts if not isinstance(part, CallPart) or part.call_id in known)
    if not kept:
        return
    message_id = parts.new_id()
    usage = MessageUsage(
        tokens_in=reply.usage.tokens_in, tokens_out=reply.usage.tokens_out, seconds=round(reply.seconds, 3)
    )

    requests = [_request(turn, reply, message_id, call, blobs) for call in planned]

    def decide(state: ChatState) -> list[Event]:
        message = MessageAdded(
            message_id=message_id,
            parent_id=turn.message_id,
            turn_id=turn.turn_id,
            role="assistant",
            parts=kept,
            becomes_leaf=state.leaf == turn.message_id,
            finish=reply.finish,
            usage=usage,
        )
        return [message, *requests]

    _append(parts, turn, decide)
    turn.message_id = message_id
    branch.message_id = message_id


def _request(
    turn: Turn, reply: Reply, message_id: str, call: PlannedCall, blobs: BlobStore
) -> ToolCallRequested:
    index, made = next((i, c) for i, c in enumerate(reply.calls) if c.call_id == call.call_id)
    return ToolCallRequested(
        call_id=call.call_id,
        message_id=message_id,
        turn_id=turn.turn_id,
        index=index,
        tool_id=call.tool.tool_id if call.tool else call.name,
        arguments=keep(call.arguments, blobs),
        provider_call_id=made.provider_call_id,
        commentary=call.commentary,
    )


def _append(parts: TurnParts, turn: Turn, decide: Callable[[ChatState], Sequence[Event]]) -> None:
    parts.chats.transact(turn.chat_id, decide, correlation_id=turn.turn_id)


def _finished(turn: Turn, end: _End) -> TurnFinished:
    return TurnFinished(
        turn_id=turn.turn_id,
        reason=end.reason,
        message=end.message,
        tokens_in=total([reply.usage.tokens_in for reply in turn.replies]),
        tokens_out=total([reply.usage.tokens_out for reply in turn.replies]),
        seconds=round(time.monotonic() - turn.began, 3),
    )
