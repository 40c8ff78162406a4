"""When a data folder is opened, ends the work that a crash interrupted and records its files. Nothing runs again
(TRN-8).
"""

import logging
from collections.abc import Sequence

from engine.chats.chat_folder import ChatFolder, Marker
from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces, left_out
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.deciders.turn_state import CallState
from engine.errors import AnabranchError
from events.catalog.tool_call import CallFailure, ToolCallFinished
from events.catalog.turn import TurnFinish, TurnFinished
from events.catalog.workspace import ManifestRecorded
from events.event import Event
from events.identity import NewId

__all__ = ["interrupt_what_ran"]

_log = logging.getLogger("anabranch.recovery")

_MESSAGE = "Anabranch ended while this call was running. The files that it wrote are kept. The call was not run again."
_NOT_BEGUN = "Anabranch ended before this call began. It was not run."


def interrupt_what_ran(
    unfinished: Sequence[str], chats: Chats, workspaces: Workspaces, new_id: NewId
) -> None:
    """End every turn and call that was still running in the given chats."""
    for chat_id in unfinished:
        _interrupt(chat_id, chats, workspaces, new_id)
    workspaces.sweep()


def _interrupt(chat_id: str, chats: Chats, workspaces: Workspaces, new_id: NewId) -> None:
    with chats.locked(chat_id) as state:
        open_calls = _cut_off(state)
        open_turns = [turn.started.turn_id for turn in state.running_turns()]
        waiting = {turn_id for turn_id in open_turns if _asks(state, turn_id)}
    for call in open_calls:
        _interrupt_call(chat_id, call, chats, workspaces, new_id)
    for turn_id in open_turns:
        reason: TurnFinish = "awaiting_confirmation" if turn_id in waiting else "interrupted"
        ended = TurnFinished(turn_id=turn_id, reason=reason)
        chats.transact(chat_id, lambda _, ended=ended: [ended], correlation_id=turn_id)  # type: ignore[misc]
    workspaces.sync(chat_id)


def _cut_off(state: ChatState) -> list[CallState]:
    """Return the calls that ended with the process. Calls that wait for the user continue to wait, and so do the calls
    of the same turn that have not started.
    """
    cut = []
    for call in state.calls.values():
        turn_id = call.requested.turn_id
        held_up = turn_id is not None and call.started is None and _asks(state, turn_id)
        if call.finished is None and not held_up:
            cut.append(call)
    return cut


def _asks(state: ChatState, turn_id: str) -> bool:
    turn = state.turns.get(turn_id)
    return turn is not None and any(call.waits for call in state.open_calls(turn.last_message_id))


def _interrupt_call(
    chat_id: str, call: CallState, chats: Chats, workspaces: Workspaces, new_id: NewId
) -> None:
    """End one call. If a folder's marker names the call, record the folder's files as the state after the call."""
    requested = call.requested
    found = _where_it_ran(chat_id, call, workspaces)
    joins = found is not None and found[1].joins

    def ending(state: ChatState) -> Sequence[Event]:
        pre = call.started.pre_manifest_id if call.started else None
        states = _left_behind(state, call, found[0], joins, new_id) if found and call.started else []
        post = states[-1].manifest_id if states else pre
        failure = CallFailure(kind="interrupted", message=_MESSAGE if call.started else _NOT_BEGUN)
        finished = ToolCallFinished(
            call_id=requested.call_id, status="interrupted", error=failure, post_manifest_id=post
        )
        return [*states, finished]

    recorded = chats.transact(chat_id, ending, correlation_id=requested.turn_id)
    if found is not None:
        folder, marker = found
        kept = [r.event.manifest_id for r in recorded if isinstance(r.event, ManifestRecorded)]
        if joins and kept:
            folder.mark(Marker(kept[-1]))
        else:
            folder.mark(Marker(marker.manifest_id, moving=True))


def _left_behind(
    state: ChatState, call: CallState, folder: ChatFolder, joins: bool, new_id: NewId
) -> list[ManifestRecorded]:
    """Return an event for the files that an interrupted call left, or no event if they cannot be stored."""
    requested, pre = call.requested, call.started.pre_manifest_id if call.started else None
    try:
        snapshot = folder.workspace.snapshot()
    except (AnabranchError, OSError):
        _log.warning(
            "The files that call %s had written could not be kept.", requested.call_id, exc_info=True
        )
        return []
    message_id, active = requested.message_id, state.leaf == requested.message_id
    if message_id is None:
        active = state.manifest == pre
        message_id = state.manifests[pre].message_id if pre is not None and not active else state.leaf
    return record_state(
        state,
        snapshot.files,
        new_id,
        parent_id=pre,
        message_id=message_id,
        source="tool_run",
        source_ref=requested.call_id,
        call_id=requested.call_id,
        active=joins and active,
        joined=joins,
        left_out=left_out(snapshot),
    )


def _where_it_ran(chat_id: str, call: CallState, workspaces: Workspaces) -> tuple[ChatFolder, Marker] | None:
    """Return the folder whose marker names the call: the chat's folder, the turn's or the call's."""
    requested = call.requested
    places = [
        workspaces.main(chat_id),
        workspaces.of_call(chat_id, requested.call_id),
        workspaces.of_turn(chat_id, requested.turn_id or requested.call_id),
    ]
    for folder in places:
        marker = folder.marker
        if marker is not None and marker.call_id == requested.call_id:
            return folder, marker
    return None
