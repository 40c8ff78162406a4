"""Decisions about calls that wait for the user (TRN-7). Pure functions from a chat's state to new events."""

from collections.abc import Mapping, Sequence

from engine.deciders.chat_state import ChatState
from engine.deciders.turn_state import CallState, TurnState
from engine.errors import Invalid, NotFound, Refused
from events.canonical import canonical_json
from events.catalog.chat import ConfirmationRuleSet, SendRuleSet
from events.catalog.tool_call import (
    CallFailure,
    ToolCallApproved,
    ToolCallDenied,
    ToolCallFinished,
    ToolCallRequested,
)
from events.catalog.turn import TurnFinished, TurnResumed
from events.event import Event, Inline, StoredValue

__all__ = ["TOOL_MARK", "allow_sending", "answer", "approve", "deny", "end_waiting", "waiting_at"]

_ASKS = "ask_user"
TOOL_MARK = "#"
"""The character that separates the parts of a source. The text after it identifies one tool of a server; see
`Tool.source`.
"""
_REMEMBERS = "remember"
_LONGEST_ANSWER = 4_000
"""The maximum number of characters in an answer."""


def approve(
    state: ChatState, call_id: str, arguments: StoredValue | None, *, always: bool = False, source: str = ""
) -> list[Event]:
    """Allow a call with `arguments`, or with its original arguments if None. Its turn continues.

    With `always`, the tool no longer asks in this chat as long as it comes from `source`, and its other waiting calls
    are allowed too. If the call sends data from this machine, the rule applies to its destination, for any tool.

    Raises:
        NotFound: there is no such call (`call_not_found`).
        Refused: the call is not waiting, is a question to the user, or must be approved each time.
    """
    call = _waiting(state, call_id)
    if call.requested.tool_id == _ASKS:
        raise Refused(
            "call_wants_answer",
            f"Call {call_id} is a question. Answer it: anabranch chat answer {call_id} TEXT.",
        )
    if always and call.requested.tool_id == _REMEMBERS:
        raise Refused(
            "approve_each_time", "Definitions are approved one at a time. Approve this call without `always`."
        )
    _require_turn_of(state, call)
    kept = arguments or call.requested.arguments
    events: list[Event] = [ToolCallApproved(call_id=call_id, arguments=kept, by="user")]
    if always:
        events += _always(state, call, source)
    return [*events, *_resumed(state, events)]


def _require_turn_of(state: ChatState, call: CallState) -> None:
    """Refuse a call that sends files while an earlier call of the same step has not ended. The earlier call could still
    change the files that the user was shown.
    """
    requested = call.requested
    if requested.sends_to is None:
        return
    for other in state.calls.values():
        earlier = (
            other.requested.message_id == requested.message_id and other.requested.index < requested.index
        )
        if earlier and other.finished is None and other.denied is None:
            raise Refused(
                "call_out_of_order",
                f"Call {requested.call_id} would send files that an earlier call may still change. Decide about "
                "that call first, or wait until it has ended.",
            )


def _always(state: ChatState, call: CallState, source: str) -> list[Event]:
    """Return the event that records the rule for a call, and approvals of the other waiting calls that it allows."""
    requested = call.requested
    rule: Event = ConfirmationRuleSet(tool_id=requested.tool_id, always=True, source=source)
    if requested.sends_to is not None:
        publisher = source.partition(TOOL_MARK)[0]
        rule = SendRuleSet(destination=requested.sends_to, always=True, source=publisher)

    def is_alike(other: ToolCallRequested) -> bool:
        return (other.tool_id, other.sends_to) == (requested.tool_id, requested.sends_to) and (
            requested.sends_to is None or _holds_no_address(other)
        )

    return [
        rule,
        *(
            ToolCallApproved(
                call_id=other.requested.call_id, arguments=other.requested.arguments, by="always in this chat"
            )
            for other in state.calls.values()
            if other.waits and other is not call and is_alike(other.requested)
        ),
    ]


def _holds_no_address(requested: ToolCallRequested) -> bool:
    """Return whether a call's arguments certainly contain no address. Calls that may contain an address are not
    approved by a rule, so that the user sees the address.
    """
    kept = requested.arguments
    return isinstance(kept, Inline) and not any(
        sign in canonical_json(kept.value) for sign in ("://", "//", "\\", ".")
    )


def allow_sending(state: ChatState, destinations: Mapping[str, str]) -> list[Event]:
    """Let tools of this chat send to these destinations without asking: destination → source of the sending toolset."""
    return [
        SendRuleSet(destination=to, always=True, source=source)
        for to, source in destinations.items()
        if state.sends.get(to) != source
    ]


def answer(state: ChatState, call_id: str, text: str) -> list[Event]:
    """Answer a model's question: the text becomes the call's result, and the turn continues.

    Raises:
        NotFound: there is no such call (`call_not_found`).
        Refused: the call is not waiting, or does not ask a question (`call_wants_approval`).
        Invalid: the text is empty or too long (`answer_length`).
    """
    call = _waiting(state, call_id)
    if call.requested.tool_id != _ASKS:
        raise Refused(
            "call_wants_approval", f"Call {call_id} does not ask a question. Approve or deny it instead."
        )
    said = text.strip()
    if not said or len(said) > _LONGEST_ANSWER:
        raise Invalid(
            "answer_length",
            f"An answer must have 1 to {_LONGEST_ANSWER:,} characters; this one has {len(said):,}.",
        )
    events: list[Event] = [
        ToolCallApproved(call_id=call_id, arguments=call.requested.arguments, by="user"),
        ToolCallFinished(call_id=call_id, status="success", result=Inline(value={"answer": said})),
    ]
    return [*events, *_resumed(state, events)]


def deny(state: ChatState, call_id: str, reason: str = "") -> list[Event]:
    """Deny a call. The model receives the denial, and its turn continues.

    Raises:
        NotFound, Refused: there is no such call, or it is not waiting.
    """
    call = _waiting(state, call_id)
    events = _denied(call, f"The user said no: {reason.strip()}" if reason.strip() else "The user said no.")
    return [*events, *_resumed(state, events)]


def waiting_at(state: ChatState, message_id: str | None) -> TurnState | None:
    """Return the turn that waits for the user at the end of the branch that ends in `message_id`."""
    return next((turn for turn in state.waiting_turns() if turn.last_message_id == message_id), None)


def end_waiting(state: ChatState, turn: TurnState, why: str) -> list[Event]:
    """End a waiting turn: deny its pending calls, and do not run later calls."""
    events: list[Event] = []
    for call in state.open_calls(turn.last_message_id):
        if call.waits:
            events += _denied(call, why)
        else:
            failure = CallFailure(kind="cancelled", message=f"It was not run. {why}")
            events.append(ToolCallFinished(call_id=call.requested.call_id, status="cancelled", error=failure))
    turn_id, waited = turn.started.turn_id, turn.finished
    ended = TurnFinished(
        turn_id=turn_id,
        reason="cancelled",
        message=why,
        tokens_in=waited.tokens_in if waited else None,
        tokens_out=waited.tokens_out if waited else None,
        seconds=waited.seconds if waited else 0.0,
    )
    return [*events, ended]


def _waiting(state: ChatState, call_id: str) -> CallState:
    call = state.calls.get(call_id)
    if call is None:
        raise NotFound("call_not_found", f"This chat has no call {call_id}.")
    if not call.waits:
        raise Refused("call_not_waiting", f"Call {call_id} is not waiting for an answer: {_stands(call)}.")
    return call


def _stands(call: CallState) -> str:
    if call.finished is not None:
        return f"it ended with the status {call.finished.status}"
    if call.started is not None:
        return "it is running"
    return "it was approved" if call.approved is not None else "it does not ask for confirmation"


def _denied(call: CallState, why: str) -> list[Event]:
    call_id = call.requested.call_id
    failure = CallFailure(kind="denied", message=why)
    return [
        ToolCallDenied(call_id=call_id, reason=why),
        ToolCallFinished(call_id=call_id, status="denied", error=failure),
    ]


def _resumed(state: ChatState, events: Sequence[Event]) -> list[Event]:
    """Return events that resume the waiting turns whose calls are decided by `events`. Turns that are still running
    need no such event.
    """
    answered = dict.fromkeys(getattr(event, "call_id", "") for event in events)
    turns = dict.fromkeys(
        state.calls[call_id].requested.turn_id for call_id in answered if call_id in state.calls
    )
    return [TurnResumed(turn_id=turn) for turn in turns if turn is not None and state.turns[turn].waits]
