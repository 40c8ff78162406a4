"""The base class of every event, and the envelope in which the log returns it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from events.canonical import JSON
from events.declarations import ByField, Content, Fork, History

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
    """A frozen part of an event; a key that is not declared is refused."""

    # Validators are built when they are first used: most events are never met in a process.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Event(Value):
    """A recorded fact. Subclasses carry `type`, their stable stored name."""

    schema_version: ClassVar[int] = 1
    type: str

    def payload(self) -> dict[str, Any]:
        """Everything but the type, as JSON values."""
        return self.model_dump(mode="json", exclude={"type"})

    def sentence(self) -> str:
        """Describe the event in one sentence for the history."""
        return f"{self.type} was recorded."


class ChatEvent(Event):
    """A fact of a chat. Each class declares its treatment by forks and the history; its fields declare their ids."""

    history: ClassVar[History]
    fork: ClassVar[Fork]
    begins: ClassVar[bool] = False
    """Whether a chat begins with this event and does not contain it anywhere else."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Refuse a class that leaves out a declaration, as soon as it is imported."""
        missing = [name for name in ("history", "fork") if not hasattr(cls, name)]
        if missing:
            raise TypeError(f"The event {cls.__name__} does not declare its {' and '.join(missing)}.")

    def sentence(self) -> str:
        """See `Event.sentence`: the class's sentence with the values of this event."""
        says = self.history.says
        if isinstance(says, ByField):
            says = says.sentences.get(str(getattr(self, says.name)), says.otherwise)
        return says.format_map(dict(self))


class UnknownEvent(Event):
    """A fact of a newer release: stored and shown as such, and otherwise skipped."""

    type: str
    version: int
    content: JSON

    def sentence(self) -> str:
        """See `Event.sentence`."""
        return "A newer release wrote this event; this one does not know it."


class UnreadableEvent(Event):
    """A fact whose payload does not match its type's declaration: stored and shown as such, and otherwise skipped."""

    type: str
    version: int
    text: str
    """The payload as it is in the log."""
    problem: str
    """The problem with it."""

    def sentence(self) -> str:
        """See `Event.sentence`."""
        return f"This event ({self.type}) cannot be read and is left out: {self.problem}."


class BlobRef(Value):
    """Bytes in the chat's blob store that are too large for the event (over 32 KiB of JSON)."""

    sha256: Annotated[str, Content()]
    size: int
    """Bytes."""
    head: str
    """The first characters, for people who read the log."""


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
    """The event itself."""
    occurred_at: datetime
    """UTC, microseconds."""
    correlation_id: str | None
    """The command that it came from."""
    causation_id: str | None
    """The event that caused it."""
    hash: str
    """SHA-256 over the canonical content and the hash before it, in hex."""
