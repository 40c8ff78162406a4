"""The events of one step: its message, its requested calls, and the ends of calls that will not run. Pure."""

from collections.abc import Iterator, Sequence

from engine.chats.payloads import PayloadStore
from engine.deciders.chat_state import ChatState
from engine.models.messages import CallPart
from engine.tools.call_plans import PlannedCall
from engine.turn.parts import Turn
from engine.turn.step import Reply
from events.catalog.chat import MessageAdded, MessageUsage
from events.catalog.tool_call import ToolCallApproved, ToolCallFinished, ToolCallRequested
from events.catalog.turn import ToolsPicked
from events.event import Event

__all__ = ["request_events", "step_events"]


def step_events(
    turn: Turn,
    state: ChatState,
    message_id: str,
    reply: Reply,
    planned: Sequence[PlannedCall],
    keeper: PayloadStore,
    finish: str,
) -> list[Event]:
    """Return the events of one reply; none if nothing arrived. Calls that are not in `planned` are left out."""
    known = {call.call_id for call in planned}
    kept = tuple(part for part in reply.parts if not isinstance(part, CallPart) or part.call_id in known)
    if not kept:
        return []
    usage = reply.end.usage
    message = MessageAdded(
        message_id=message_id,
        parent_id=turn.message_id,
        turn_id=turn.turn_id,
        role="assistant",
        parts=kept,
        becomes_leaf=state.leaf == turn.message_id,
        finish=finish,
        usage=MessageUsage(
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_total=usage.tokens_total,
            tokens_reasoning=usage.tokens_reasoning,
            tokens_cached=usage.tokens_cached,
            seconds=round(reply.seconds, 3),
        ),
    )
    provider_ids = {call.call_id: call.provider_call_id for call in reply.calls}
    return [message, *request_events(turn.turn_id, message_id, planned, provider_ids, keeper)]


def request_events(
    turn_id: str | None,
    message_id: str | None,
    planned: Sequence[PlannedCall],
    provider_ids: dict[str, str],
    keeper: PayloadStore,
    from_call_id: str | None = None,
) -> Iterator[Event]:
    """Return the request event of each call, and the decisions already made about it. A user's own call belongs to no
    turn.
    """
    for index, call in enumerate(planned):
        yield ToolCallRequested(
            call_id=call.call_id,
            message_id=message_id,
            turn_id=turn_id,
            index=index,
            tool_id=call.tool.tool_id if call.tool else call.name,
            arguments=keeper.value(call.arguments),
            provider_call_id=provider_ids.get(call.call_id, ""),
            commentary=call.commentary,
            needs_confirmation=call.asks,
            sends_to=call.sends_to,
            from_call_id=from_call_id,
        )
    picks = tuple(dict.fromkeys(tool_id for call in planned for tool_id in call.picks))
    if picks and turn_id is not None:
        yield ToolsPicked(turn_id=turn_id, tool_ids=picks)
    for call in planned:
        if call.approved is not None:
            yield ToolCallApproved(
                call_id=call.call_id, arguments=keeper.value(call.arguments), by=call.approved
            )
        if call.failure is not None:
            yield ToolCallFinished(call_id=call.call_id, status=call.status, error=call.failure)
        elif call.answer is not None:
            yield ToolCallFinished(call_id=call.call_id, status="success", result=keeper.value(call.answer))
