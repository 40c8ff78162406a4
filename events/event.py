"""The base class of every event, and the envelope in which the log returns it."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from events.declarations import ByField, Content, Fork, History
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "BlobRef",
    "ChatEvent",
    "Event",
    "Inline",
    "Recorded",
    "StoredValue",
    "UnknownEvent",
    "UnreadableEvent",
    "Value",
]


class Value(BaseModel):
    """An immutable part of an event; undeclared keys are refused."""

    # Validators are built when they are first used, because a process reads only a few types of events.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Event(Value):
    """A recorded fact. Each subclass has a `type`, the stable name under which it is stored."""

    schema_version: ClassVar[int] = 1
    type: str

    def payload(self) -> dict[str, Any]:
        """Return all fields except the type, as JSON values."""
        return self.model_dump(mode="json", exclude={"type"})

    def sentence(self) -> str:
        """Describe the event in one sentence for the history."""
        return f"{self.type} was recorded."


class ChatEvent(Event):
    """A fact about a chat. Each class declares how forks and the history treat it; each field that holds an id declares
    what the id refers to.
    """

    history: ClassVar[History]
    fork: ClassVar[Fork]
    begins: ClassVar[bool] = False
    """Whether this event begins a chat and never occurs later in one."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Raise an error on import if a subclass leaves out a declaration."""
        missing = [name for name in ("history", "fork") if not hasattr(cls, name)]
        if missing:
            raise TypeError(f"The event {cls.__name__} does not declare its {' and '.join(missing)}.")

    def sentence(self) -> str:
        """See `Event.sentence`: fills this event's values into the class's sentence."""
        says = self.history.says
        if isinstance(says, ByField):
            says = says.sentences.get(str(getattr(self, says.name)), says.otherwise)
        return says.format_map(dict(self))


class UnknownEvent(Event):
    """An event from a newer release. It is stored, shown as unknown, and otherwise skipped."""

    type: str
    version: int
    content: JSON

    def sentence(self) -> str:
        """See `Event.sentence`."""
        return "A newer release wrote this event; this release does not know its type."


class UnreadableEvent(Event):
    """An event whose payload does not match its declared type. It is stored, shown as unreadable, and otherwise
    skipped."""

    type: str
    version: int
    text: str
    """The payload as stored in the log."""
    problem: str
    """The reason why the payload does not match."""

    def sentence(self) -> str:
        """See `Event.sentence`."""
        return f"This event ({self.type}) cannot be read and is left out: {self.problem}."


class BlobRef(Value):
    """A reference to bytes in the chat's blob store, for example of a value with more than 32 KiB of JSON."""

    sha256: Annotated[str, Content()]
    size: int
    """The size in bytes."""
    head: str
    """The first characters of the content, for people who read the log."""


class Inline(Value):
    """A JSON value that is small enough to be stored in the event."""

    value: JSON


StoredValue = Inline | BlobRef
"""A JSON value, in the event or in a blob."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its place in the log."""

    position: int
    stream: str
    """The stream of the event."""
    version: int
    event_id: str
    """A UUID that names the event."""
    event: Event
    """The decoded event."""
    occurred_at: datetime
    """The time in UTC, to the microsecond."""
    correlation_id: str | None
    """The id of the command that caused the event."""
    causation_id: str | None
    """The id of the event that caused this one."""
    hash: str
    """SHA-256 over the canonical content and the previous event's hash, in hex."""
