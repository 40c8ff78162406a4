"""An event as the log stores it: as a row, and as a line of JSON in a journal or a file."""

import json
from datetime import UTC, datetime

from events.canonical import canonical_json
from events.late_dataclass import dataclass

__all__ = ["EPOCH", "FORMAT", "GENESIS", "ID_COLUMNS", "Row", "row_from_json", "row_to_json"]

ID_COLUMNS = ("message_id", "parent_id", "turn_id", "call_id", "manifest_id")
"""Ids that are in columns of the log instead of in the payload."""

GENESIS = "0" * 64
"""The hash before the first event."""

FORMAT = 2
"""The hash format in which new events are written. See `events.chain`."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Row:
    """An event as the log stores it."""

    position: int
    stream: str
    version: int
    event_id: str
    type: str
    schema_version: int
    occurred_at: int
    """The time in microseconds since 1970 in UTC."""
    correlation_id: str | None
    causation_id: str | None
    ids: tuple[str | None, ...]
    """The ids, in the order of `ID_COLUMNS`."""
    payload: str
    """The canonical JSON of all other fields."""
    hash: str = ""
    format: int = 1
    """The hash format in which the row was written."""
    salt: str | None = None
    """The salt: 16 random bytes in hex; None in format 1."""
    payload_hash: str | None = None
    """The SHA-256 over the salt and the payload, in hex; None in format 1."""


def row_to_json(row: Row) -> str:
    """Return the row as one line of JSON, for the journal."""
    fields = [
        row.position,
        row.stream,
        row.version,
        row.event_id,
        row.type,
        row.schema_version,
        row.occurred_at,
        row.correlation_id,
        row.causation_id,
        list(row.ids),
        row.payload,
        row.hash,
    ]
    return canonical_json(fields if row.format == 1 else [*fields, row.format, row.salt, row.payload_hash])


def row_from_json(text: str) -> Row:
    """Return the row from a line that `row_to_json` wrote."""
    fields = json.loads(text)
    fields[9] = tuple(fields[9])
    return Row(*fields)
