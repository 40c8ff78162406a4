"""The calls of a branch as recorded in the log: their inputs and outcomes. Pure, except for reading values."""

import json
from collections.abc import Iterable, Mapping, Sequence

from engine.chats.payloads import value_of
from engine.deciders.chat_state import ChatState
from engine.deciders.manifest_changes import changes_of
from engine.deciders.own_calls import made_from
from engine.deciders.turn_state import CallState
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import Changes
from events.catalog.chat import MessageAdded
from events.catalog.tool_call import CallFailure, ToolCallStarted
from events.catalog.workspace import ManifestRecorded
from events.event import Recorded
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Came", "RecordedCall", "came_before", "environment_before", "recorded_calls"]

_NOTHING = Changes({}, {}, ())


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call with its inputs."""

    call: CallState
    question_id: str | None
    """The user's message that the call helped to answer; None for the user's own call."""
    position: int | None
    """The log position at which the call started; None if it never ran."""
    changes: Changes
    """The call's changes to the files."""
    joined: bool = True
    """Whether the branch continued from these changes."""
    beside: tuple["RecordedCall", ...] = ()
    """The calls that come before this call in the same message."""

    @property
    def call_id(self) -> str:
        """The id of the call."""
        return self.call.requested.call_id

    @property
    def tool_id(self) -> str:
        """The id of the call's tool."""
        return self.call.requested.tool_id

    def arguments(self, blobs: BlobStore) -> JSON:
        """Return the call's arguments."""
        return value_of(self.call.requested.arguments, blobs)


@dataclass(frozen=True, slots=True)
class Came:
    """The outcome of a call, in the log or when it ran again."""

    status: str
    failure: CallFailure | None
    result: JSON
    plan: JSON
    changes: Changes
    pictures: tuple[str, ...]
    """Hashes of the pictures."""
    seconds: float


def recorded_calls(
    recorded: Iterable[Recorded], state: ChatState, leaf: str | None
) -> tuple[RecordedCall, ...]:
    """Return the calls on the path to `leaf` in the order of the log.

    The user's own calls are included if they changed the path's files, or if they were made from one of the path's
    calls and changed no files, such as the call of an edited chart.
    """
    events = list(recorded)
    path = state.path(leaf)
    on_path = {message.message_id for message in path}
    started = {r.event.call_id: r.position for r in events if isinstance(r.event, ToolCallStarted)}
    left = {
        state_.call_id: state_
        for r in events
        if isinstance(state_ := r.event, ManifestRecorded) and state_.call_id is not None
    }
    questions = _questions(path)
    of_path = {call_id for call_id, call in state.calls.items() if call.requested.message_id in on_path}
    from_path = made_from(state.calls, of_path)
    found: dict[str, RecordedCall] = {}
    together: dict[str, list[RecordedCall]] = {}
    for call_id, call in state.calls.items():
        made, message_id = left.get(call_id), call.requested.message_id
        changed = made is not None and made.message_id in (None, *on_path)
        own = message_id is None and (changed or (made is None and call_id in from_path))
        if message_id not in on_path and not own:
            continue
        group = together.setdefault(message_id, []) if message_id is not None else []
        one = RecordedCall(
            call,
            questions.get(message_id or ""),
            started.get(call_id),
            changes_of(made) if made is not None else _NOTHING,
            made.joined if made is not None else True,
            tuple(group),
        )
        group.append(one)
        found[call_id] = one
    return tuple(found.values())


def _questions(path: Sequence[MessageAdded]) -> Mapping[str, str]:
    """Return a map from each message to the user's message that it follows."""
    last = ""
    found: dict[str, str] = {}
    for message in path:
        if message.role == "user":
            last = message.message_id
        found[message.message_id] = last
    return found


def came_before(one: RecordedCall, blobs: BlobStore) -> Came:
    """Return a call's outcome according to the log.

    Raises:
        NotFound: its result is no longer stored.
        Unavailable: its result is damaged.
    """
    finished = one.call.finished
    assert finished is not None
    return Came(
        finished.status,
        finished.error,
        value_of(finished.result, blobs),
        value_of(finished.render_plan, blobs),
        one.changes,
        tuple(picture.sha256 for picture in finished.pictures),
        finished.seconds,
    )


def environment_before(one: RecordedCall, blobs: BlobStore) -> Mapping[str, JSON] | None:
    """Return the recorded environment of a call; None if it was not recorded."""
    finished = one.call.finished
    if finished is None or finished.environment is None:
        return None
    facts = json.loads(blobs.read(finished.environment.sha256))
    return facts if isinstance(facts, dict) else None
