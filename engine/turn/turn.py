"""Runs a turn from a user's message to the answer, step by step. It uses only injected parts, and its state is in the
events.

Each step is one request to the model and the calls that its reply makes. Events are appended as they happen; unfinished
text is only sent to watchers. A turn that waits for the user ends with the reason `awaiting_confirmation` and keeps
nothing in memory; after the user's answer, it continues from the log.
"""

import time
from collections.abc import Collection

from engine.chats.chat_folder import ChatFolder
from engine.chats.payloads import value_of
from engine.deciders.chat_state import ChatState
from engine.deciders.turn_state import CallState
from engine.errors import AnabranchError
from engine.models.model import Usage
from engine.tools.call_order import runnable
from engine.tools.call_plans import Branch, PlannedCall, effects_of
from engine.turn.addresses import given_addresses
from engine.turn.answer_check import AnswerCheck, check_answer
from engine.turn.call_planning import Confirming, plan_again, plan_calls
from engine.turn.disclosure import Disclosed
from engine.turn.limits import steps_allowed, tally, total
from engine.turn.model_request import ask_model
from engine.turn.number_review import NumberReview
from engine.turn.parts import Turn, TurnParts
from engine.turn.second_look import completed
from engine.turn.step import Reply
from engine.turn.step_events import step_events
from engine.turn.truncated_replies import cut_short, has_whole_call
from events.catalog.chat import SENT_BACK
from events.catalog.turn import TurnFinish, TurnFinished
from events.event import Event
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["run_turn"]

_SAME_CALL = (
    "The model made the same call five times in a row, so it was asked to answer. Continue, or rephrase "
    "your question."
)
_NO_TEXT = "The model returned an empty answer. Retry, or choose another model."
_TOO_LONG = (
    "The turn was stopped: it took longer than the {seconds:g} s that a turn may take. Ask for less at once."
)


@dataclass(frozen=True, slots=True)
class _End:
    reason: TurnFinish
    message: str | None = None
    kind: str | None = None
    retry_after: float | None = None


def run_turn(parts: TurnParts, turn: Turn) -> None:
    """Run a turn to its end, or until it waits for the user. The outcome is always recorded, even after an error."""
    end: _End | None = _stopped(turn)
    try:
        with parts.workspaces.leased(turn.chat_id, turn.turn_id) as folder:
            end = _steps(parts, turn, folder)
    except AnabranchError as error:
        end = _End("error", error.message)
    except OSError as error:
        end = _End(
            "error",
            f"The operating system reported an error: {error}. Check the free disk space, then retry.",
        )
        raise
    except Exception as error:
        first = (str(error).splitlines() or [""])[0][:200]
        end = _End("error", f"This is an error in Anabranch itself ({type(error).__name__}: {first}). Retry.")
        raise
    finally:
        ended = end
        if ended is not None:
            turn.append(parts, lambda state: [_finished(turn, state, ended)])
        parts.signals.end(turn.chat_id, turn.turn_id, ended.reason if ended else "awaiting_confirmation")


def _steps(parts: TurnParts, turn: Turn, folder: ChatFolder) -> _End | None:
    """Take one step after another, and return how the turn ends. Return None if the turn waits for the user; the wait
    is already recorded."""
    with parts.chats.locked(turn.chat_id) as state:
        manifest_id = state.manifest_at(turn.message_id)
        files = state.files(manifest_id)
    folder.checkout(manifest_id, files)
    branch = Branch(turn.chat_id, turn.turn_id, turn.message_id, manifest_id, folder, turn.stopped_as)
    while True:
        while _run_calls(parts, turn, branch):
            if turn.cancel.is_set:
                return None if _waits(parts, turn) else _stopped(turn)
            if _waits(parts, turn):
                return None
        if turn.model is None:
            return _End("stop")
        end = _step(parts, turn, branch)
        if end is not None:
            return end


def _run_calls(parts: TurnParts, turn: Turn, branch: Branch) -> bool:
    """Run the last message's open calls that can run; return whether there were any open calls."""
    planned = _open_calls(parts, turn)
    if planned:
        parts.calls.run(branch, planned, turn.cancel)
    return bool(planned)


def _open_calls(parts: TurnParts, turn: Turn) -> list[PlannedCall]:
    with parts.chats.locked(turn.chat_id) as state:
        return _planned_again(parts, turn, state)


def _planned_again(parts: TurnParts, turn: Turn, state: ChatState) -> list[PlannedCall]:
    blobs = parts.workspaces.blobs(turn.chat_id)

    def arguments(call: CallState) -> JSON:
        return value_of(call.approved.arguments if call.approved else call.requested.arguments, blobs)

    return plan_again(state.open_calls(turn.message_id), parts.find, arguments)


def _waits(parts: TurnParts, turn: Turn) -> bool:
    """If everything that is left to do depends on the user, record that the turn waits, and return True. A stopped turn
    does not wait."""

    def decide(state: ChatState) -> list[Event]:
        planned = _planned_again(parts, turn, state)
        stuck = any(call.waits for call in planned)
        free = runnable(planned, effects_of, lambda call: call.waits)
        if not stuck or (free and not turn.closing):
            return []
        return [_finished(turn, state, _End("awaiting_confirmation"))]

    stopped = turn.cancel.is_set and not turn.closing
    return not stopped and bool(turn.append(parts, decide))


def _step(parts: TurnParts, turn: Turn, branch: Branch) -> _End | None:
    """Ask the model once, and append its reply with the calls that it requests; return how the turn ends, or None if it
    continues."""
    blobs = parts.workspaces.blobs(turn.chat_id)
    with parts.chats.locked(turn.chat_id) as state:
        done = tally(state, turn.turn_id, lambda kept: value_of(kept, blobs))
        picked = state.turns[turn.turn_id].picked
        unasked, sends = state.unasked, state.sends
        holds_data = state.holds_data or bool(parts.definitions(state))
        before = state.messages.get(turn.message_id)
    last = done.replies >= steps_allowed(turn.rules.max_steps, on=turn.rules.max_steps_on)
    goes_round = done.repeats.ends_turn
    last = last or goes_round or (turn.rules.max_calls is not None and done.calls >= turn.rules.max_calls)
    asked = ask_model(parts, turn, branch, last=last)
    reply = asked.reply
    if completed(reply, before):
        parts.signals.text(turn.chat_id, turn.turn_id, reply.text)
    turn.usages.append(reply.end.usage)
    end = _ended(turn, reply, asked.shown, _SAME_CALL if goes_round else None, last=last)
    answers = end is not None and end.reason == "stop"
    check = check_answer(parts, turn, reply) if answers else AnswerCheck()
    turn.doubted = check.doubted
    if turn.doubted:
        _record(parts, turn, branch, reply, [], SENT_BACK, check.review)
        return None
    planned: list[PlannedCall] = []
    if end is None:
        rules = turn.rules
        confirming = Confirming(
            rules.allow_confirmations,
            unasked,
            holds_data,
            rules.sending,
            sends,
            lambda: _given(parts, turn, asked.shown),
        )
        planned = plan_calls(reply, asked.shown, picked, done.repeats, confirming)
    cut = end is not None and end.reason in ("cancelled", "interrupted")
    _record(parts, turn, branch, reply, planned, "cancelled" if cut else reply.finish, check.review)
    return end


def _given(parts: TurnParts, turn: Turn, shown: Disclosed) -> Collection[str]:
    """Return the addresses that the user wrote and the addresses that network tools returned."""
    blobs = parts.workspaces.blobs(turn.chat_id)
    reaching = {tool.tool_id for tool in shown.tools.values() if tool.network}
    with parts.chats.locked(turn.chat_id) as state:
        return given_addresses(state, reaching, lambda kept: value_of(kept, blobs))


def _record(
    parts: TurnParts,
    turn: Turn,
    branch: Branch,
    reply: Reply,
    planned: list[PlannedCall],
    finish: str,
    review: NumberReview | None,
) -> None:
    message_id = parts.new_id()
    keeper = parts.workspaces.payloads(turn.chat_id)

    def decide(state: ChatState) -> list[Event]:
        step = step_events(turn, state, message_id, reply, planned, keeper, finish)
        return (
            [*step, review.event(message_id, turn.turn_id, keeper)] if step and review is not None else step
        )

    appended = turn.append(parts, decide)
    if not appended:
        return
    turn.message_id = branch.message_id = message_id
    if planned or turn.doubted:
        parts.signals.step(turn.chat_id, turn.turn_id)
    for call in planned:
        if call.failure is not None:
            parts.calls.tell(branch, call, call.status)
        elif call.answer is not None:
            parts.calls.tell(branch, call, "success")


def _ended(turn: Turn, reply: Reply, shown: Disclosed, why: str | None, *, last: bool) -> _End | None:
    """Return how the turn ends with this reply; None if its calls should be run. If this was the `last` request, `why`
    is the reason for that."""
    finish, end = reply.finish, reply.end
    if turn.cancel.is_set or finish == "cancelled":
        return _stopped(turn)
    silent = not reply.text.strip() and not reply.has_images
    if finish == "error":
        return _End("error", end.error, end.kind, end.retry_after)
    if finish == "length" and (last or not has_whole_call(reply)):
        return _End("length", cut_short(reply, shown))
    if finish == "content_filter":
        return _End("content_filter", end.error)
    if last:
        return _End("limit", why)
    return None if reply.calls else _End("stop", _NO_TEXT if silent else None)


def _stopped(turn: Turn) -> _End:
    if turn.late and not turn.closing:
        return _End("limit", _TOO_LONG.format(seconds=turn.rules.max_seconds))
    return _End(turn.stopped_as())


def _finished(turn: Turn, state: ChatState, end: _End) -> TurnFinished:
    """Return the event for the end of a turn. Its cost includes the cost before the turn waited."""
    before = state.turns[turn.turn_id].ended
    usages = [*([Usage(before.tokens_in, before.tokens_out)] if before else []), *turn.usages]
    return TurnFinished(
        turn_id=turn.turn_id,
        reason=end.reason,
        message=end.message,
        kind=end.kind,
        retry_after=end.retry_after,
        tokens_in=total([usage.tokens_in for usage in usages]),
        tokens_out=total([usage.tokens_out for usage in usages]),
        seconds=round((before.seconds if before else 0.0) + time.monotonic() - turn.began, 3),
    )
