"""Handles the command that runs recorded calls again, and reports the progress of each run."""

from time import monotonic

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.command_handlers.run_progress import RunProgress, RunsInProgress
from engine.command_handlers.user_calls import UserCalls
from engine.commands.catalog import ReplayChat
from engine.deciders import chat as decide
from engine.errors import NotFound, Refused
from engine.replay.recorded_calls import RecordedCall
from engine.replay.replays import Replays
from events.catalog.replay import CallVerdict, ReplayFinished
from events.identity import NewId

__all__ = ["ReplayCommands"]


class ReplayCommands:
    """Handles the command that runs recorded calls again."""

    def __init__(
        self, *, chats: Chats, replays: Replays, running: UserCalls, signals: Signals, new_id: NewId
    ) -> None:
        """`running` keeps track of the user's own runs, so that they can be stopped."""
        self._chats = chats
        self._replays = replays
        self._running = running
        self._signals = signals
        self._new_id = new_id
        self._runs: RunsInProgress[CallVerdict] = RunsInProgress()

    def progress(self, chat_id: str) -> RunProgress[CallVerdict] | None:
        """Return the progress of the run in a chat; None if no run is in progress."""
        return self._runs.of(chat_id)

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
        with self._running.running(chat_id) as cancel, self._runs.entered(chat_id, len(calls)):
            self._signals.changed(chat_id)

            def report(one: RecordedCall, verdict: CallVerdict | None) -> None:
                self._runs.report(chat_id, one.call_id, verdict)

            verdicts = self._replays.run(chat_id, replay_id, calls, cancel, report, live=command.live)
            finished = ReplayFinished(
                replay_id=replay_id,
                message_id=leaf,
                calls=verdicts,
                asked=len(calls),
                live=command.live,
                seconds=monotonic() - began,
            )
            self._chats.transact(chat_id, lambda _: [finished])
        self._signals.changed(chat_id)
        return replay_id


def _require_all(calls: tuple[RecordedCall, ...], command: ReplayChat) -> None:
    """Refuse a command if one of its ids does not belong to a finished call, or if the branch has no finished call."""
    known = {one.call_id for one in calls}
    for call_id in command.call_ids:
        if call_id not in known:
            raise NotFound("call_not_found", f"There is no call {call_id} that has ended on this branch.")
    if not calls:
        raise Refused(
            "nothing_to_replay", "No tool was called on this branch, so there is nothing to run again."
        )
