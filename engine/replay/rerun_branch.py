"""The branch that a re-run creates: the same questions and steps, with their calls run again."""

from collections.abc import Mapping, Sequence
from time import monotonic

from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.deciders.manifest_changes import changes_of
from engine.models.registry import RERUN
from engine.replay.rerun_calls import RerunCalls, RerunParts
from events.catalog.chat import SENT_BACK, MessageAdded
from events.catalog.parts import CallPart, Part
from events.catalog.turn import TurnFinished, TurnStarted
from events.catalog.workspace import ManifestRecorded
from events.event import Event
from events.late_dataclass import dataclass

__all__ = ["RerunBranch", "by_user"]


@dataclass(slots=True)
class RerunBranch:
    """A new branch of a re-run, to which messages are added."""

    of: RerunParts
    chat_id: str
    calls: RerunCalls
    parent: str | None = None
    """The current end of the new branch."""
    began: bool = False
    whole: bool = False
    """Whether the branch contains the whole path, because no call failed and nothing stopped the re-run."""
    turn_id: str | None = None
    at: float = 0.0

    def go(self, path: Sequence[MessageAdded]) -> None:
        """Add copies of the messages of `path`, and run their calls again. Every turn is ended, even after a
        failure."""
        if not path:
            return
        self.parent = path[0].parent_id
        reason = "interrupted"
        try:
            if path[0].role != "user":
                self._start_turn(self._question_of(path[0]))
            reason = self._go(path)
            self.whole = reason == "stop"
        finally:
            self._end_turn(reason)

    def _go(self, path: Sequence[MessageAdded]) -> str:
        """Add the copies and run the calls; return how the last turn ends."""
        for message in path:
            if self.calls.cancel.is_set:
                return "cancelled"
            if message.finish == SENT_BACK:
                continue
            if message.role == "user":
                self._end_turn("stop")
                self._ask(message)
                self._start_turn(self.parent or "")
            elif not self._step(message):
                return "cancelled" if self.calls.cancel.is_set else "error"
        return "stop"

    def _question_of(self, message: MessageAdded) -> str:
        with self.of.chats.locked(self.chat_id) as state:
            found = state.question_of(message.message_id)
        assert found is not None
        return found.message_id

    def _append(self, *events: Event) -> None:
        self.of.chats.transact(self.chat_id, lambda _: events, correlation_id=self.turn_id)

    def _start_turn(self, question_id: str) -> None:
        self.turn_id, self.at = self.of.new_id(), monotonic()
        self._append(TurnStarted(turn_id=self.turn_id, message_id=question_id, model=RERUN))

    def _end_turn(self, reason: str) -> None:
        if self.turn_id is None:
            return
        words = None
        if reason == "error":
            words = "A call that succeeded before failed this time, so nothing after it ran. See its error."
        self._append(
            TurnFinished.model_validate(
                {
                    "turn_id": self.turn_id,
                    "reason": reason,
                    "message": words,
                    "seconds": monotonic() - self.at,
                }
            )
        )
        self.turn_id = None

    def _ask(self, message: MessageAdded) -> None:
        """Add the same question, and the files that came with it, with their new contents."""
        new = self.of.new_id()
        added = MessageAdded(
            message_id=new,
            parent_id=self.parent,
            role="user",
            parts=message.parts,
            becomes_leaf=False,
            replaces=message.message_id,
        )
        before, root = self.parent, not self.began
        self._append(added)
        self.parent, self.began = new, True
        self._bring_files([None, message.message_id] if root else [message.message_id], before, new)

    def _bring_files(self, of: Sequence[str | None], before: str | None, message_id: str) -> None:
        """Apply again the changes that the user made to the files at these messages, with the replaced contents."""

        def decide(state: ChatState) -> Sequence[Event]:
            parent = state.manifest_at(before) if before is not None else None
            files = dict(state.files(parent))
            for recorded in state.recorded:
                if recorded.message_id in of and by_user(state, recorded):
                    changes = changes_of(recorded)
                    for path in changes.removed:
                        files.pop(path, None)
                    brought = {**changes.added, **changes.changed}
                    files |= {path: self.calls.what.files.get(path, entry) for path, entry in brought.items()}
            return record_state(
                state,
                files,
                self.of.new_id,
                parent_id=parent,
                message_id=message_id,
                source="user_upload",
                source_ref=None,
                active=False,
            )

        self.of.chats.transact(self.chat_id, decide, correlation_id=self.turn_id)
        with self.of.chats.locked(self.chat_id) as state:
            now = state.manifest_at(message_id)
            for stood in (state.manifest_at(old) for old in of):
                if stood is not None:
                    self.calls.states.setdefault(stood, now)

    def _step(self, message: MessageAdded) -> bool:
        """Run a step again; return whether every call that had succeeded before succeeded again."""
        asked = [part.call_id for part in message.parts if isinstance(part, CallPart)]
        names = {call_id: self.of.new_id() for call_id in asked if call_id in self.calls.calls}
        new = self.of.new_id()
        parts = tuple(renamed for part in message.parts if (renamed := _renamed(part, names)) is not None)
        recorded = [self.calls.calls[old] for old in names if old in self.calls.calls]
        planned = {one.call_id: self.calls.planned(one, names[one.call_id]) for one in recorded}
        events: list[Event] = [
            MessageAdded(
                message_id=new,
                parent_id=self.parent,
                turn_id=self.turn_id,
                role="assistant",
                parts=parts,
                becomes_leaf=False,
                finish=message.finish,
                replaces=message.message_id,
            )
        ]
        for one in recorded:
            events += self.calls.requests(one, planned[one.call_id][0], new, self.turn_id)
        self._append(*events)
        self.parent, self.began = new, True
        ran = self.calls.run(new, self.turn_id, recorded, planned)
        self._edits(message.message_id, new)
        return ran

    def _edits(self, old: str, new: str) -> None:
        """Apply again the changes that the user made to the files after a step."""
        with self.of.chats.locked(self.chat_id) as state:
            edited = any(r.message_id == old and by_user(state, r) for r in state.recorded)
        if edited:
            self._bring_files([old], new, new)


def _renamed(part: Part, names: Mapping[str, str]) -> Part | None:
    """Return the part with its call's new id; None for a call that never ended, because such a call is not requested
    again."""
    if not isinstance(part, CallPart):
        return part
    return part.model_copy(update={"call_id": names[part.call_id]}) if part.call_id in names else None


def by_user(state: ChatState, recorded: ManifestRecorded) -> bool:
    """Return whether the user changed the files, by hand or with a tool that no model requested."""
    call = state.calls.get(recorded.call_id or "")
    own_tool = call is not None and call.requested.message_id is None
    return recorded.joined and (recorded.source in ("user_upload", "edit") or own_tool)
