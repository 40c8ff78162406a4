"""Values of an event that registers take: each is known as SQL over the log and as Python over a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from events.catalog.event_types import EVENT_TYPES
from events.stored_row import EPOCH, ID_COLUMNS

__all__ = [
    "DecodedEvent",
    "Field",
    "SqlType",
    "column",
    "const",
    "field",
    "known_version",
    "of_types",
    "quoted",
    "stream_key",
]


class _EventColumns(Protocol):
    """An event with the log's columns, such as a row of it."""

    @property
    def position(self) -> int: ...
    @property
    def stream(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def schema_version(self) -> int: ...
    @property
    def occurred_at(self) -> int | datetime: ...
    @property
    def ids(self) -> Sequence[str | None]: ...


class DecodedEvent(_EventColumns, Protocol):
    """An event with its payload decoded."""

    @property
    def payload(self) -> Mapping[str, Any]:
        """Its fields, but for the ids that stand in columns."""
        ...


SqlType = Literal["VARCHAR", "BIGINT", "BOOLEAN", "UUID", "TIMESTAMP", "DOUBLE"]


@dataclass(frozen=True, slots=True)
class Field:
    """A value of an event: in SQL over `event_log`, and in Python over its row and decoded payload."""

    sql: str
    kind: Literal["column", "payload", "constant", "stream"]
    name: str = ""
    value: str | bool | int | None = None

    suffix: str = ""
    """A text of the payload that follows after a colon."""

    def with_suffix(self, name: str) -> "Field":
        """This value, a colon, and the text `name` of the payload."""
        return replace(self, sql=f"concat({self.sql}, ':', payload->>'$.{name}')", suffix=name)

    def of(self, row: _EventColumns, payload: Mapping[str, Any]) -> Any:
        """Return the value for one event."""
        value = self._bare(row, payload)
        return f"{value}:{payload.get(self.suffix) or ''}" if self.suffix else value

    def _bare(self, row: _EventColumns, payload: Mapping[str, Any]) -> Any:
        match self.kind:
            case "constant":
                return self.value
            case "payload":
                return payload.get(self.name)
            case "stream":
                return row.stream.partition("-")[2]
            case "column":
                return _column_value(row, self.name)


def column(name: str) -> Field:
    """A column of the log."""
    return Field(name, "column", name)


def const(value: str | bool | int | None) -> Field:
    """The same value for every event of a type."""
    if value is None:
        return Field("NULL", "constant", value=value)
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return Field(f"'{quoted}'", "constant", value=value)
    return Field(str(value).lower(), "constant", value=value)


def field(name: str, sql_type: SqlType = "VARCHAR") -> Field:
    """A scalar of the payload; absent and null are both NULL."""
    return Field(f"CAST(payload->>'$.{name}' AS {sql_type})", "payload", name)


def of_types(*types: str) -> str:
    """The condition that an event is one of `types`, in a version that this release knows: a later one is not read."""
    known = {known_version(name) for name in types}
    version = f"<= {known.pop()}" if len(known) == 1 else f"<= {_versions(types)}"
    return f"type IN ({quoted(types)}) AND schema_version {version}"


def known_version(event_type: str) -> int:
    """Return the version of an event type that this release writes, the latest that it reads."""
    known = EVENT_TYPES.get(event_type)
    return known.schema_version if known else 1


def _versions(types: tuple[str, ...]) -> str:
    cases = " ".join(f"WHEN '{name}' THEN {known_version(name)}" for name in types)
    return f"CASE type {cases} END"


stream_key = Field("substr(stream, instr(stream, '-') + 1)", "stream")
"""What follows the first hyphen in the stream's name: `chat-<id>` → `<id>`."""


def _column_value(row: _EventColumns, name: str) -> str | int | datetime | None:
    if name in ID_COLUMNS:
        return row.ids[ID_COLUMNS.index(name)]
    if name == "occurred_at":
        at = row.occurred_at
        return at if isinstance(at, datetime) else (EPOCH + timedelta(microseconds=at)).replace(tzinfo=None)
    value: str | int | None = getattr(row, name)
    return value


def quoted(types: tuple[str, ...] | list[str]) -> str:
    """The names of types as a list in SQL."""
    return ", ".join(f"'{t}'" for t in types)
