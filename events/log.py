"""The log's interface: append with an expected version, read, follow, verify. All implementations share one contract.

The interface does not say how a log is stored. Operations of logs with files are in `LogUpkeep`, and SQL over events
belongs to a read store (`events.read_store`).

LogError
├── VersionConflict     another writer was first: names the stream, the expected version and the actual one
├── LogDamaged          the data on the disk differs from what was acknowledged; reading continues, writing does not
├── LogFault            a write to the disk failed; says whether the events are recorded
├── LogClosed           the log was closed, or gave up writing after a fault
└── ReadStoreBehind     the read models do not show the awaited position yet
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from events.late_dataclass import dataclass
from events.stored_row import Row

if TYPE_CHECKING:  # not imported at run time, so that listing chats does not load the event types
    from events.event import Event, Recorded

__all__ = [
    "ANY",
    "Append",
    "Condition",
    "EventLog",
    "Expected",
    "LogClosed",
    "LogDamaged",
    "LogError",
    "LogFault",
    "LogUpkeep",
    "ReadStoreBehind",
    "Subscription",
    "Verification",
    "VersionConflict",
    "Watcher",
]

ANY: Literal["any"] = "any"
Expected: TypeAlias = int | Literal["any"]
"""The last stream version that the writer saw, 0 for a stream that does not exist yet; `ANY` disables the check."""

Watcher: TypeAlias = Callable[[Sequence["Recorded"]], None]


class LogError(Exception):
    """Base of the log's errors."""


class VersionConflict(LogError):
    """The stream is not at the version that the writer expected."""

    def __init__(self, stream: str, expected: int, found: int) -> None:
        super().__init__(
            f"Stream {stream} is at version {found}, but {expected} was expected: something else was written in "
            "between. Read it again and retry."
        )
        self.stream = stream
        self.expected = expected
        self.found = found


class LogDamaged(LogError):
    """The log may be incomplete, so nothing is written to it."""


class LogFault(LogError):
    """A write to the disk failed."""

    def __init__(self, message: str, *, recorded: bool = False) -> None:
        super().__init__(message)
        self.recorded = recorded
        """Whether the events are recorded nevertheless: they are in the journal, and the next open restores them."""


class LogClosed(LogError):
    """The log no longer accepts events."""


class ReadStoreBehind(LogError):
    """The read models have not reached the requested position yet."""

    def __init__(self, found: int, wanted: int) -> None:
        super().__init__(
            f"The read models are at event {found}, and event {wanted} was expected. Nothing is lost; try again."
        )
        self.found, self.wanted = found, wanted


@dataclass(frozen=True, slots=True)
class Append:
    """Events for one stream."""

    stream: str
    events: "Sequence[Event]"
    expected: Expected = ANY
    event_ids: Sequence[str] | None = None
    """Ids chosen by the writer, so that a repeated append does nothing; new ones by default."""
    correlation_id: str | None = None
    causation_id: str | Sequence[str | None] | None = None
    """The cause of the events: one id for all of them, or one for each."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying the hash chain."""

    ok: bool
    events: int
    head_position: int
    first_bad_position: int | None = None
    problem: str | None = None


class Subscription(Protocol):
    """A reader of the events after a position, in order and without gaps, including events that it cannot decode."""

    def take(self, seconds: float | None = 0.0) -> list[Row]:
        """Return the next events. If there are none, wait up to `seconds` for some (None: without a limit)."""
        ...

    def close(self) -> None:
        """Stop following the log. Waiting calls of `take` return nothing."""
        ...


class EventLog(Protocol):
    """An append-only, hash-chained log of events."""

    def append(self, *batch: Append) -> "list[Recorded]":
        """Append all of `batch` or nothing, and return once it is durable.

        If all event ids are known already, return the recorded events and write nothing.

        Raises:
            VersionConflict: a stream is not at its expected version; nothing was written.
            LogDamaged: the log is open read-only because of damage.
            LogClosed: the log was closed.
        """
        ...

    def read_stream(self, stream: str, after: int = 0) -> "list[Recorded]":
        """Return the events of `stream` with versions above `after`, in order."""
        ...

    def read_all(self, after: int = 0, limit: int | None = None) -> "Iterator[Recorded]":
        """Yield events with positions above `after`, in order, at most `limit`."""
        ...

    def head(self) -> int:
        """Return the last position; 0 for an empty log."""
        ...

    def stream_version(self, stream: str) -> int:
        """Return the stream's last version; 0 if the stream does not exist."""
        ...

    def verify(self) -> Verification:
        """Recompute the hash chain and report the first position that was changed after it was written."""
        ...

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with the recorded events after every append; return a function that stops this.

        Watchers run in the writer's thread or in a thread of the log, in the order of the log, so they must be quick.
        """
        ...

    def subscribe(self, after: int = 0) -> Subscription:
        """Follow the events after a position: existing ones, then new ones."""
        ...

    def close(self) -> None:
        """Close the log; appending afterwards raises `LogClosed`."""
        ...


Condition: TypeAlias = Literal["well", "read_only", "disk", "folder_gone", "closed"]


class LogUpkeep(Protocol):
    """Upkeep of a log with files: its condition, recovery after damage, and checkpoints."""

    @property
    def condition(self) -> Condition:
        """Whether the log accepts events, or why it does not. The log is first recovered if that is possible now."""
        ...

    @property
    def problem(self) -> str | None:
        """The reason why the log accepts no events, in words; None if it accepts them."""
        ...

    @property
    def damage(self) -> str | None:
        """The reason why the log was opened read-only, in words; None if it was not."""
        ...

    @property
    def restored(self) -> int:
        """The number of events that the database had lost and that were restored from the journal at open."""
        ...

    @property
    def can_accept(self) -> bool:
        """Whether the log differs from its mark in a way that `accept` can accept."""
        ...

    def accept(self) -> "list[Recorded]":
        """Accept a log that differs from its mark; return the event that records this."""
        ...

    def notices(self) -> tuple[str, ...]:
        """Return harmless findings at open and failed writes since then, in words."""
        ...

    def checkpoint(self) -> None:
        """Move everything from the journal into the database, as at the end of a turn."""
        ...

    def mend_copy(self) -> bool:
        """Rewrite the second copy of the events if a part of it is unreadable; return whether it was rewritten."""
        ...

    def kept_bytes(self) -> int:
        """Return the size of the second copy of the events."""
        ...
