"""Progress of runs of recorded calls: one run at a time in each chat."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from threading import Lock
from typing import Generic, TypeVar

from engine.errors import Refused
from events.late_dataclass import dataclass

__all__ = ["RunProgress", "RunsInProgress"]

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class RunProgress(Generic[Outcome]):
    """The progress of one run."""

    asked: int
    """The number of calls to run."""
    running: str | None = None
    """The id of the call that is running now."""
    done: Mapping[str, Outcome] = field(default_factory=dict)
    """The outcome of each call that has ended, by its id."""


class RunsInProgress(Generic[Outcome]):
    """The running re-runs, by chat. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs: dict[str, RunProgress[Outcome]] = {}

    def of(self, chat_id: str) -> RunProgress[Outcome] | None:
        """Return the progress of the run in a chat; None if there is none."""
        with self._lock:
            return self._runs.get(chat_id)

    @contextmanager
    def entered(self, chat_id: str, asked: int) -> Iterator[None]:
        """Register a run while the `with` block runs; `asked` is the number of its calls.

        Raises:
            Refused: another run is in progress in the chat.
        """
        with self._lock:
            if chat_id in self._runs:
                raise Refused(
                    "calls_run_again", "Calls of this chat are being run again. Stop this run first."
                )
            self._runs[chat_id] = RunProgress(asked)
        try:
            yield
        finally:
            with self._lock:
                del self._runs[chat_id]

    def report(self, chat_id: str, call_id: str, outcome: Outcome | None) -> None:
        """Record that a call has begun (`outcome` is None), or that it has ended with this outcome."""
        with self._lock:
            known = self._runs[chat_id]
            if outcome is None:
                self._runs[chat_id] = replace(known, running=call_id)
            else:
                self._runs[chat_id] = replace(known, running=None, done={**known.done, call_id: outcome})
