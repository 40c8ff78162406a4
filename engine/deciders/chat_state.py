"""The state of a chat, folded from its stream: its messages, calls, turns, file states and current message.

`ChatState()` is the initial state and `evolve` applies one event to it; nothing else changes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from engine.deciders.branch_path import BranchPath
from engine.deciders.cards import Cards
from engine.deciders.definitions import Definitions
from engine.deciders.manifest_changes import changes_of
from engine.deciders.moments import Moments
from engine.deciders.turn_state import QUEUE_EVENTS, CallState, QueuedState, TurnState, moved_on
from engine.workspace.file_states import FileStates, RecordedState
from engine.workspace.manifest import FileEntry
from events.catalog.chat import (
    ChatArchived,
    ChatCreated,
    ChatDeleted,
    ChatRenamed,
    ChatRestored,
    ChatUnarchived,
    ConfirmationRuleSet,
    Depth,
    DepthSelected,
    LeafSelected,
    MessageAdded,
    ModelSelected,
    SendRuleSet,
    ToolsAdded,
    ToolsSelected,
)
from events.catalog.tool_call import (
    ToolCallApproved,
    ToolCallDenied,
    ToolCallFinished,
    ToolCallRequested,
    ToolCallStarted,
)
from events.catalog.turn import (
    ContextCompacted,
    StepStarted,
    ToolsPicked,
    TurnFinished,
    TurnResumed,
    TurnStarted,
)
from events.catalog.workspace import ManifestRecorded
from events.event import Event
from events.late_dataclass import dataclass

__all__ = ["ChatState"]

_CHOICES = (ToolsSelected, ToolsAdded, ModelSelected, DepthSelected, ConfirmationRuleSet, SendRuleSet)


@dataclass(slots=True)
class ChatState:
    """A chat as of some version of its stream."""

    version: int = 0
    exists: bool = False
    deleted: bool = False
    archived: bool = False
    title: str = ""
    model: str = "offline"
    base_url: str | None = None
    depth: Depth = "quick"
    selection: Mapping[str, list[str]] = field(default_factory=dict)
    unasked: Mapping[str, str] = field(default_factory=dict)
    """Tools that ask first in other chats but run without asking in this chat: id → the source for which the user
    allowed this.
    """
    sends: Mapping[str, str] = field(default_factory=dict)
    """Destinations to which this chat's tools send without asking → the source for which the user allowed this."""
    messages: dict[str, MessageAdded] = field(default_factory=dict)
    leaf: str | None = None
    manifest: str | None = None
    """The state of the files at the chat's current message."""
    manifests: dict[str, ManifestRecorded] = field(default_factory=dict)
    queue: tuple[QueuedState, ...] = ()
    """The queued questions in order. The first may have been refused when it was about to be asked."""
    turns: dict[str, TurnState] = field(default_factory=dict)
    calls: dict[str, CallState] = field(default_factory=dict)
    compactions: dict[str, ContextCompacted] = field(default_factory=dict)
    definitions: Definitions = field(default_factory=Definitions)
    """The definitions of this chat; definitions for all chats are in a separate stream."""
    moments: Moments = field(default_factory=Moments)
    cards: Cards = field(default_factory=Cards)
    recorded: list[ManifestRecorded] = field(default_factory=list)
    """The states of the files, in the order in which they were recorded."""
    _recorded_at: dict[str | None, list[int]] = field(default_factory=dict)
    """Message → the indexes of its states in `recorded`; the key None means the root of the chat."""
    _calls_of: dict[str | None, list[CallState]] = field(default_factory=dict)
    _open_turns: dict[str, TurnState] = field(default_factory=dict)
    """The turns that are running or waiting. There are few, even in long chats."""
    _open_own_calls: set[str] = field(default_factory=set)
    """Calls that the user made and that have not ended."""
    _line: BranchPath = field(default_factory=BranchPath)
    _files: FileStates = field(default_factory=FileStates)

    def evolve(self, event: Event) -> None:
        """Apply one event to the state."""
        self.version += 1
        match event:
            case ChatCreated():
                self.exists, self.title = True, event.title
            case ChatRenamed():
                self.title = event.title
            case ChatDeleted():
                self.deleted = True
            case ChatRestored():
                self.deleted = False
            case ChatArchived() | ChatUnarchived():
                self.archived = isinstance(event, ChatArchived)
            case LeafSelected():
                self.leaf, self.manifest = event.message_id, event.manifest_id
            case MessageAdded():
                self._add(event)
            case ManifestRecorded():
                self._record(event)
            case TurnStarted():
                turn = TurnState(event, last_message_id=event.message_id)
                self.turns[event.turn_id] = self._open_turns[event.turn_id] = turn
            case _ if isinstance(event, QUEUE_EVENTS):
                self.queue = moved_on(self.queue, event)
            case ContextCompacted():
                self.compactions[event.compaction_id] = event
            case TurnResumed() | StepStarted() | ToolsPicked() | TurnFinished():
                self._evolve_turn(event)
            case _ if isinstance(event, _CHOICES):
                self._choose(event)
            case _:
                self._evolve_call(event)

    def _choose(self, event: Event) -> None:
        """Apply the user's choice of the chat's tools, model or depth, or a rule about which tools may run or send data
        without asking.
        """
        match event:
            case ToolsSelected() | ToolsAdded():
                self.selection = event.selection
            case ModelSelected():
                self.model, self.base_url = event.model, event.base_url
            case DepthSelected():
                self.depth = event.depth
            case ConfirmationRuleSet():
                others = {tool: source for tool, source in self.unasked.items() if tool != event.tool_id}
                self.unasked = others | ({event.tool_id: event.source} if event.always else {})
            case SendRuleSet():
                elsewhere = {to: source for to, source in self.sends.items() if to != event.destination}
                self.sends = elsewhere | ({event.destination: event.source} if event.always else {})
            case _:
                pass

    def _record(self, event: ManifestRecorded) -> None:
        self.manifests[event.manifest_id] = event
        self._recorded_at.setdefault(event.message_id, []).append(len(self.recorded))
        self.recorded.append(event)
        if event.active:
            self.manifest = event.manifest_id

    def _evolve_turn(self, event: TurnResumed | StepStarted | ToolsPicked | TurnFinished) -> None:
        turn = self.turns[event.turn_id]
        turn.evolve(event)
        if turn.runs or turn.waits:
            self._open_turns[event.turn_id] = turn
        else:
            self._open_turns.pop(event.turn_id, None)

    def _add(self, event: MessageAdded) -> None:
        self.messages[event.message_id] = event
        if event.becomes_leaf:
            self.leaf = event.message_id
        if event.turn_id in self.turns:
            self.turns[event.turn_id].last_message_id = event.message_id

    def _evolve_call(self, event: Event) -> None:
        match event:
            case ToolCallRequested():
                call = self.calls[event.call_id] = CallState(event)
                self._calls_of.setdefault(event.message_id, []).append(call)
                if event.turn_id is None:
                    self._open_own_calls.add(event.call_id)
            case ToolCallApproved() | ToolCallDenied() | ToolCallStarted():
                self.calls[event.call_id].evolve(event)
            case ToolCallFinished():
                self.calls[event.call_id].evolve(event)
                self._open_own_calls.discard(event.call_id)
            case _:
                self.definitions.evolve(event)
                self.moments.evolve(event)
                self.cards.evolve(event)

    def path(self, message_id: str | None) -> list[MessageAdded]:
        """Return the messages from the root to `message_id`, in order."""
        self._line.go_to(message_id, self.messages)
        return self._line.messages.copy()

    def places(self, message_id: str | None) -> Mapping[str, int]:
        """Return each message on the path to `message_id` with its index. Use the result at once, because the next call
        for a path changes it."""
        self._line.go_to(message_id, self.messages)
        return self._line.places

    def _upwards(self, message_id: str | None) -> Iterator[MessageAdded]:
        while message_id is not None:
            message = self.messages[message_id]
            yield message
            message_id = message.parent_id

    def manifest_at(self, message_id: str | None) -> str | None:
        """Return the state of the files at a message: its own state, or its nearest ancestor's."""
        for message in self._upwards(message_id):
            if own := self.own_manifest(message.message_id):
                return own
        return self.own_manifest(None)

    def own_manifest(self, message_id: str | None) -> str | None:
        """Return the last state of the files that was recorded at a message; None means the root of the chat."""
        states = (self.recorded[at] for at in reversed(self._recorded_at.get(message_id, ())))
        return next((one.manifest_id for one in states if one.joined), None)

    def files(self, manifest_id: str | None) -> Mapping[str, FileEntry]:
        """Return all files of a state by path."""
        if manifest_id is None:
            return {}
        return self._files.files(manifest_id, self._state)

    def _state(self, manifest_id: str) -> RecordedState:
        recorded = self.manifests[manifest_id]
        return recorded.parent_id, changes_of(recorded)

    def recorded_at(self, message_id: str | None) -> Sequence[int]:
        """Return the indexes in `recorded` of the states that belong to a message."""
        return self._recorded_at.get(message_id, ())

    def calls_of(self, message_id: str) -> list[CallState]:
        """Return the calls that a message contains, in their order in the message."""
        return sorted(self._calls_of.get(message_id, ()), key=lambda call: call.requested.index)

    def calls_on(self, message_id: str | None) -> list[CallState]:
        """Return the calls on the path to `message_id`, in order. A fork has the same calls with different ids."""
        return [call for message in self.path(message_id) for call in self.calls_of(message.message_id)]

    @property
    def holds_data(self) -> bool:
        """Whether a model in this chat could have seen the user's data, that is, files or results of tools."""
        return bool(self.manifests) or any(call.started and call.finished for call in self.calls.values())

    def open_calls(self, message_id: str | None) -> list[CallState]:
        """Return a message's calls that have not ended, in their order in the message."""
        return [call for call in self.calls_of(message_id) if call.finished is None] if message_id else []

    def steps_of(self, turn_id: str) -> list[MessageAdded]:
        """Return the messages that a turn has made, in order."""
        own = []
        for message in self._upwards(self.turns[turn_id].last_message_id):
            if message.turn_id != turn_id:
                break
            own.append(message)
        return own[::-1]

    def waiting_turns(self) -> list[TurnState]:
        """Return the turns that wait for the user."""
        return [turn for turn in self._open_turns.values() if turn.waits]

    def question_of(self, message_id: str) -> MessageAdded | None:
        """Return the question that the message `message_id` answers, or the message itself if it is a question."""
        return next((m for m in self._upwards(message_id) if m.role == "user"), None)

    def running_turns(self) -> list[TurnState]:
        """Return the turns that have not ended."""
        return [turn for turn in self._open_turns.values() if turn.finished is None]

    @property
    def works(self) -> bool:
        """Whether a turn or the user's own call is running. Its files may not be recorded yet."""
        return bool(self._open_own_calls or self.running_turns())
