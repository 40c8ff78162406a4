"""At open: what a crash cut off ends `interrupted`, with what it left behind, and nothing is run again (TRN-8)."""

from collections.abc import Sequence

from engine.chats import Chats
from engine.deciders.chat import record_state
from engine.deciders.chat_state import CallState, ChatState
from engine.folders import Folders, Marker, left_out
from events.catalog.turn import CallFailure, ToolCallFinished, TurnFinished
from events.event import Event
from events.identity import NewId

__all__ = ["interrupt_what_ran"]

_MESSAGE = "Anabranch ended while this call was running. What it wrote is kept; it was not run again."


def interrupt_what_ran(unfinished: Sequence[str], chats: Chats, folders: Folders, new_id: NewId) -> None:
    """End every turn and call that was running in the chats `unfinished`."""
    for chat_id in unfinished:
        _interrupt(chat_id, chats, folders, new_id)


def _interrupt(chat_id: str, chats: Chats, folders: Folders, new_id: NewId) -> None:
    with chats.locked(chat_id) as state:
        open_calls = [call for call in state.calls.values() if call.finished is None and not call.waits]
        open_turns = [turn.started.turn_id for turn in state.running_turns()]
    for call in open_calls:
        _interrupt_call(chat_id, call, chats, folders, new_id)
    for turn_id in open_turns:
        folders.of_turn(chat_id, turn_id).remove()
        ended = TurnFinished(turn_id=turn_id, reason="interrupted")
        chats.transact(chat_id, lambda _, ended=ended: [ended], correlation_id=turn_id)  # type: ignore[misc]
    folders.follow(chat_id)


def _interrupt_call(chat_id: str, call: CallState, chats: Chats, folders: Folders, new_id: NewId) -> None:
    """End one call. The folder that its marker names holds what it wrote: that is its post-manifest."""
    requested = call.requested
    own = folders.of_call(chat_id, requested.call_id)
    places = [folders.main(chat_id), own]
    if requested.turn_id is not None:
        places.append(folders.of_turn(chat_id, requested.turn_id))
    place = next((folder for folder in places if folder.marker.call_id == requested.call_id), None)
    aside = place is own

    def ending(state: ChatState) -> Sequence[Event]:
        pre = call.started.pre_manifest_id if call.started else None
        states: list[Event] = []
        post = pre
        if place is not None and call.started is not None:
            snapshot = place.workspace.snapshot()
            recorded = record_state(
                state,
                snapshot.files,
                new_id,
                parent_id=pre,
                message_id=requested.message_id,
                source="tool_run",
                source_ref=requested.call_id,
                call_id=requested.call_id,
                active=not aside and state.leaf == requested.message_id,
                joined=not aside,
                left_out=left_out(snapshot),
            )
            post = recorded[-1].manifest_id if recorded else pre
            states += recorded
        failure = CallFailure(kind="interrupted", message=_MESSAGE)
        finished = ToolCallFinished(
            call_id=requested.call_id, status="interrupted", error=failure, post_manifest_id=post
        )
        return [*states, finished]

    recorded = chats.transact(chat_id, ending, correlation_id=requested.turn_id)
    if place is not None and not aside:
        ended = [r.event.post_manifest_id for r in recorded if isinstance(r.event, ToolCallFinished)]
        place.mark(Marker(ended[0]))
    own.remove()
