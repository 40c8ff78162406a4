"""Shortens a chat's requests: replaces older messages with a summary that the model writes (SEAT-7).

Nothing is lost: the event says what the summary covers, the messages stay in the log and on the page, and `read_result`
returns the results of covered calls.
"""

import time
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal

from engine.chats.payloads import value_of
from engine.chats.signals import LiveCall
from engine.deciders.chat_state import ChatState
from engine.models.messages import Message, TextPart
from engine.models.model import Model, Usage
from engine.tools.builtin import READ_RESULT
from engine.tools.result_names import call_name
from engine.turn.history import Sent, history, result_of
from engine.turn.next_request import Prepared
from engine.turn.parts import Turn, TurnParts
from engine.turn.request_size import KEPT, cut, item_tokens, request_tokens
from engine.turn.step import read_quietly
from engine.turn.summary import ASK_FOR_SUMMARY, result_line, short_account, summary_text
from engine.workspace.blobs import BlobStore
from events.catalog.chat import MessageAdded
from events.catalog.turn import ContextCompacted
from events.late_dataclass import dataclass

__all__ = ["compact"]

_RESULTS = (6_000, 1_000, 200)
"""Limits for the number of characters of each result that the model reads for its summary. They are tried in order
until the request fits the model's window."""
_ROOM_FOR_REPLY = 0.9


@dataclass(frozen=True, slots=True)
class _Written:
    """A summary, and its cost."""

    text: str
    by: Literal["model", "rules"]
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    problem: str | None = None


def compact(
    parts: TurnParts,
    turn: Turn,
    model: Model,
    prepared: Prepared,
    window: int,
    reason: Literal["window", "refused"],
    *,
    named: bool = False,
) -> bool:
    """Summarise the older messages of a request that is too long; return whether there were any to summarise.

    `window` is the number of tokens that a request may have, and `named` whether the provider gave that number. Nothing
    is recorded if the turn is stopped meanwhile.
    """
    with parts.chats.locked(turn.chat_id) as state:
        covered = _covered(state, prepared, window, reason)
    if not covered:
        return False
    written = _shown_writing(parts, turn, model, prepared, covered, window)
    if turn.cancel.is_set:
        return False
    made = _event(parts, turn, prepared, covered, written, window, reason, named=named)
    turn.append(parts, lambda _: [made])
    return True


def _event(
    parts: TurnParts,
    turn: Turn,
    prepared: Prepared,
    covered: Sequence[MessageAdded],
    written: _Written,
    window: int,
    reason: Literal["window", "refused"],
    *,
    named: bool,
) -> ContextCompacted:
    keeper = parts.workspaces.payloads(turn.chat_id)
    with parts.chats.locked(turn.chat_id) as state:
        text = _text(state, prepared, covered, written, keeper.blobs)
        number = len(state.path(covered[-1].message_id))
    return ContextCompacted(
        compaction_id=parts.new_id(),
        turn_id=turn.turn_id,
        through_id=covered[-1].message_id,
        message_id=turn.message_id,
        summary=keeper.text(text),
        written_by=written.by,
        reason=reason,
        window=window,
        window_named=named,
        model=turn.model_name,
        messages=number,
        tokens_before=prepared.tokens,
        tokens_in=written.usage.tokens_in,
        tokens_out=written.usage.tokens_out,
        seconds=round(written.seconds, 3),
        problem=written.problem,
    )


def _covered(state: ChatState, prepared: Prepared, window: int, reason: str) -> Sequence[MessageAdded]:
    """Return the messages at the start of the request that the summary must cover; none if the messages are not the
    reason why the request is too long."""
    path = prepared.sent.path
    sizes = [0] * len(path)
    place = {message.message_id: n for n, message in enumerate(path)}
    makers = {call_id: call.requested.message_id for call_id, call in state.calls.items()}
    for item in prepared.request.messages:
        made_by = item.message_id if isinstance(item, Message) else makers.get(item.call_id) or ""
        if made_by in place:
            sizes[place[made_by]] += item_tokens(item)
    most = int(window * KEPT)
    if reason == "refused":  # our count of tokens is only an estimate, and the provider counted more
        most = min(most, sum(sizes) // 2)
    number = cut(sizes, [message.role == "user" for message in path], most)
    return path[:number]


def _shown_writing(
    parts: TurnParts,
    turn: Turn,
    model: Model,
    prepared: Prepared,
    covered: Sequence[MessageAdded],
    window: int,
) -> _Written:
    """Write the summary, and show that it is being written."""
    live = LiveCall(f"summary-{turn.turn_id}", "summary", "", "running", text="Summarising earlier messages")
    parts.signals.call(turn.chat_id, turn.turn_id, live)
    written = _write(parts, turn, model, prepared, covered, window)
    parts.signals.call(turn.chat_id, turn.turn_id, replace(live, status="success", text=""))
    turn.usages.append(written.usage)
    return written


def _write(
    parts: TurnParts,
    turn: Turn,
    model: Model,
    prepared: Prepared,
    covered: Sequence[MessageAdded],
    window: int,
) -> _Written:
    """Ask the model for a summary. If it does not write one, use shortened questions and answers."""
    blobs = parts.workspaces.blobs(turn.chat_id)
    _, reader = prepared.sent.read_by(len(covered) - 1)
    sent = Sent(covered, reader, prepared.sent.compaction)
    problem = "The messages to summarise do not fit its window either."
    for most in _RESULTS:
        with parts.chats.locked(turn.chat_id) as state:
            items = history(state, sent, blobs, most=most)
        messages = (*items, Message("", "user", (TextPart(text=ASK_FOR_SUMMARY),)))
        request = replace(prepared.request, messages=messages, images={}, may_call=False)
        if request_tokens(request, model.body(request)) > window * _ROOM_FOR_REPLY:
            continue
        began = time.monotonic()
        reply = read_quietly(model.stream(request, turn.cancel), parts.new_id)
        if reply.text.strip() and reply.finish in ("stop", "length"):
            return _Written(reply.text, "model", reply.end.usage, time.monotonic() - began)
        problem = reply.end.error or "It wrote no summary."
        if reply.end.kind != "context_overflow":
            break
    earlier = blobs.read(sent.compaction.summary.sha256).decode() if sent.compaction else ""
    return _Written(short_account(covered, earlier), "rules", problem=problem)


def _text(
    state: ChatState,
    prepared: Prepared,
    covered: Sequence[MessageAdded],
    written: _Written,
    blobs: BlobStore,
) -> str:
    everything = state.path(covered[-1].message_id)
    lines = []
    for number, call in enumerate(state.calls_on(covered[-1].message_id), 1):
        status, result = result_of(call, blobs)
        if status == "success" and call.requested.tool_id != READ_RESULT:
            tool = call.requested.tool_id.rpartition(":")[2]
            arguments = value_of(call.requested.arguments, blobs)
            lines.append(result_line(call_name(number), tool, arguments, result))
    after = prepared.sent.path[len(covered)]
    torn = after.role != "user"
    question = state.question_of(after.message_id) if torn else None
    return summary_text(written.text, lines, len(everything), question)
