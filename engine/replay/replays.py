"""Runs recorded calls again, each with its original files and tool, and reports whether the result is the same.

The chat does not change: the calls run in a separate folder, and new content goes to a separate store that is removed
with the folder. A call with a different result runs once more, because its result may differ on every run.
"""

from collections.abc import Callable, Sequence

from engine.replay.recorded_calls import (
    RecordedCall,
    recorded_calls,
)
from engine.replay.replay_calls import ReplayCalls, ReplayParts
from engine.system.cancellation import Cancellation
from events.catalog.replay import CallVerdict

__all__ = ["OnVerdict", "Replays"]

OnVerdict = Callable[[RecordedCall, CallVerdict | None], None]
"""Called with None when a call begins, and with its verdict when it ends."""


class Replays:
    """Runs recorded calls again. Thread-safe."""

    def __init__(self, parts: ReplayParts) -> None:
        self._parts = parts

    def calls(
        self, chat_id: str, message_id: str | None, only: Sequence[str] = ()
    ) -> tuple[RecordedCall, ...]:
        """Return the finished calls on the path to a message. If `only` contains ids, return only those calls."""
        with self._parts.chats.locked(chat_id) as state:
            found = recorded_calls(self._parts.chats.recorded(chat_id), state, message_id)
        return tuple(
            one for one in found if one.call.finished is not None and (not only or one.call_id in only)
        )

    def run(
        self,
        chat_id: str,
        replay_id: str,
        calls: Sequence[RecordedCall],
        cancel: Cancellation,
        on_verdict: OnVerdict,
        *,
        live: bool = False,
    ) -> tuple[CallVerdict, ...]:
        """Run `calls` again, in order, until `cancel` is set; return the verdict on each completed call."""
        found: list[CallVerdict] = []
        with self._parts.workspaces.scratch(chat_id, replay_id) as folder:
            work = ReplayCalls(self._parts, chat_id, folder, cancel, live)
            for one in calls:
                if cancel.is_set:
                    break
                on_verdict(one, None)
                judged = work.judge(one)
                if judged is None:
                    break
                found.append(judged)
                on_verdict(one, judged)
        return tuple(found)
