"""The command that runs recorded calls again, and how far each such run is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.command_handlers.user_calls import UserCalls
from engine.commands.catalog import ReplayChat
from engine.deciders import chat as decide
from engine.errors import NotFound, Refused
from engine.replay.recorded_calls import RecordedCall
from engine.replay.replays import Replays
from events.catalog.replay import CallVerdict, ReplayFinished
from events.identity import NewId

__all__ = ["ReplayCommands", "ReplayProgress"]


@dataclass(slots=True)
class ReplayProgress:
    """How far a run is."""

    asked: int
    began: float
    """Seconds of a clock that only runs forward."""
    running: str | None = None
    """The call that runs now."""
    verdicts: Mapping[str, CallVerdict] = field(default_factory=dict)


class ReplayCommands:
    """Handles it."""

    def __init__(
        self, *, chats: Chats, replays: Replays, running: UserCalls, signals: Signals, new_id: NewId
    ) -> None:
        """`running` knows what the user started, so that it can be stopped."""
        self._chats = chats
        self._replays = replays
        self._running = running
        self._signals = signals
        self._new_id = new_id
        self._lock = Lock()
        self._progress: dict[str, ReplayProgress] = {}

    def progress(self, chat_id: str) -> ReplayProgress | None:
        """Return how far the run in a chat is; None if there is none."""
        with self._lock:
            return self._progress.get(chat_id)

    def replay(self, command: ReplayChat) -> str:
        """See `ReplayChat`."""
        chat_id = command.chat_id
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            leaf = command.message_id or state.leaf
            if leaf is not None and leaf not in state.messages:
                raise NotFound("message_not_found", f"There is no message {leaf} in this chat.")
        calls = self._replays.calls(chat_id, leaf, command.call_ids)
        _require_all(calls, command)
        replay_id, began = self._new_id(), monotonic()
        with self._running.running(chat_id) as cancel:
            self._begin(chat_id, ReplayProgress(len(calls), began))
            try:

                def told(one: RecordedCall, verdict: CallVerdict | None) -> None:
                    self._tell(chat_id, one, verdict)

                verdicts = self._replays.run(chat_id, replay_id, calls, cancel, told, live=command.live)
                finished = ReplayFinished(
                    replay_id=replay_id,
                    message_id=leaf,
                    calls=verdicts,
                    asked=len(calls),
                    live=command.live,
                    seconds=monotonic() - began,
                )
                self._chats.transact(chat_id, lambda _: [finished])
            finally:
                with self._lock:
                    self._progress.pop(chat_id, None)
        self._signals.changed(chat_id)
        return replay_id

    def _begin(self, chat_id: str, progress: ReplayProgress) -> None:
        with self._lock:
            if chat_id in self._progress:
                raise Refused("replay_running", "Calls of this chat are being run again. Stop that first.")
            self._progress[chat_id] = progress
        self._signals.changed(chat_id)

    def _tell(self, chat_id: str, one: RecordedCall, verdict: CallVerdict | None) -> None:
        with self._lock:
            known = self._progress[chat_id]
            found = dict(known.verdicts)
            if verdict is not None:
                found[one.call_id] = verdict
            running = one.call_id if verdict is None else None
            self._progress[chat_id] = ReplayProgress(known.asked, known.began, running, found)


def _require_all(calls: tuple[RecordedCall, ...], command: ReplayChat) -> None:
    """Refuse ids that are no ended calls of the branch, and a branch without any."""
    known = {one.call_id for one in calls}
    for call_id in command.call_ids:
        if call_id not in known:
            raise NotFound("call_not_found", f"There is no call {call_id} that has ended on this branch.")
    if not calls:
        raise Refused(
            "nothing_to_replay", "No tool was called on this branch, so there is nothing to run again."
        )
