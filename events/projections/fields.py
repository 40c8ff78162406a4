"""Values that read models take from an event, each defined as SQL over the log and as Python over an event."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal

from events.late_dataclass import dataclass
from events.projections.decoded_event import DecodedEvent
from events.stored_row import ID_COLUMNS
from events.upcasters import current_version

__all__ = [
    "Field",
    "SqlType",
    "column",
    "const",
    "field",
    "of_types",
    "quoted",
    "stream_key",
]


SqlType = Literal["VARCHAR", "BIGINT", "BOOLEAN", "UUID", "TIMESTAMP", "DOUBLE"]


@dataclass(frozen=True, slots=True)
class Field:
    """A value of an event, defined in SQL over `event_log` and in Python."""

    sql: str
    of: Callable[[DecodedEvent], Any]
    told: str
    """The meaning of the value, as printed in the docs."""

    def with_suffix(self, name: str) -> "Field":
        """Return this value, a colon, and the text `name` of the payload."""
        sql = f"concat({self.sql}, ':', payload->>'$.{name}')"
        told = f"{self.told}, a colon and `{name}`"
        return Field(sql, lambda event: f"{self.of(event)}:{event.payload.get(name) or ''}", told)


def column(name: str) -> Field:
    """Return a field for a column of the log."""
    told = f"column `{name}` of the log"
    if name in ID_COLUMNS:
        index = ID_COLUMNS.index(name)
        return Field(name, lambda event: event.ids[index], told)
    return Field(name, attrgetter(name), told)


def const(value: str | bool | int | None) -> Field:
    """Return a field with the same value for every event of a type."""
    if value is None:
        sql = "NULL"
    elif isinstance(value, str):
        sql = "'" + value.replace("'", "''") + "'"
    else:
        sql = str(value).lower()
    return Field(sql, lambda _: value, "NULL" if value is None else f"`{str(value).lower()}`")


def field(name: str, sql_type: SqlType = "VARCHAR") -> Field:
    """Return a field for a scalar in the payload. It is NULL if the payload's value is absent or null."""
    sql = f"CAST(payload->>'$.{name}' AS {sql_type})"
    return Field(sql, lambda event: event.payload.get(name), f"field `{name}`")


def of_types(*types: str) -> str:
    """Return the SQL condition that an event has one of `types`, in a version that this release knows; later versions
    are not read.
    """
    known = {current_version(name) for name in types}
    version = f"<= {known.pop()}" if len(known) == 1 else f"<= {_versions(types)}"
    return f"type IN ({quoted(types)}) AND schema_version {version}"


def _versions(types: tuple[str, ...]) -> str:
    cases = " ".join(f"WHEN '{name}' THEN {current_version(name)}" for name in types)
    return f"CASE type {cases} END"


stream_key = Field(
    "substr(stream, instr(stream, '-') + 1)", lambda event: event.stream.partition("-")[2], "the stream's id"
)
"""The part of a stream's name after the first hyphen: `chat-<id>` → `<id>`."""


def quoted(types: tuple[str, ...] | list[str]) -> str:
    """Return the names of types as an SQL list."""
    return ", ".join(f"'{t}'" for t in types)
