"""Between events and rows: stored names and versions, canonical bytes, and the hash chain. Known here only."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from events.canonical import canonical_json
from events.catalog.every import EVENT_TYPES, any_event
from events.event import Event, Recorded, UnknownEvent
from events.text import scrub_surrogates
from events.upcasters import upcast

__all__ = ["GENESIS", "ID_COLUMNS", "Row", "chain_hash", "decode", "encode", "row_from_json", "row_to_json"]

ID_COLUMNS = ("message_id", "parent_id", "turn_id", "call_id", "manifest_id")
"""Ids that stand in columns of the log instead of in the payload."""

GENESIS = "0" * 64
"""The hash before the first event."""

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
    """Microseconds since 1970 in UTC."""
    correlation_id: str | None
    causation_id: str | None
    ids: tuple[str | None, ...]
    """In the order of `ID_COLUMNS`."""
    payload: str
    """Canonical JSON of all other fields."""
    hash: str = ""


def chain_hash(previous: str, row: Row) -> str:
    """Return the SHA-256 in hex over `previous` and the row's canonical content.

    The content is one line for each field, empty where there is none, and the payload last; no field but the payload
    can hold a line break, and canonical JSON holds none either, so no two rows share a text.
    """
    lines = (
        previous,
        str(row.position),
        row.stream,
        str(row.version),
        row.event_id,
        row.type,
        str(row.schema_version),
        str(row.occurred_at),
        row.correlation_id or "",
        row.causation_id or "",
        *(value or "" for value in row.ids),
        row.payload,
    )
    return sha256("\n".join(lines).encode()).hexdigest()


def encode(
    event: Event,
    *,
    position: int,
    stream: str,
    version: int,
    event_id: str,
    occurred_at: datetime,
    correlation_id: str | None,
    causation_id: str | None,
    previous: str,
) -> Row:
    """Return the row of `event`, hashed onto `previous`.

    Raises:
        ValueError: a field holds a number that JSON cannot hold, or an id or the stream holds a line break.
    """
    payload = event.payload()
    ids = tuple(payload.pop(name, None) for name in ID_COLUMNS)
    heads = (stream, event_id, correlation_id, causation_id, *ids)
    if any(head is not None and "\n" in head for head in heads):
        raise ValueError(f"An id of this {event.type} holds a line break; ids are one line.")
    bare = Row(
        position=position,
        stream=scrub_surrogates(stream),
        version=version,
        event_id=event_id,
        type=event.type,
        schema_version=event.schema_version,
        occurred_at=(occurred_at.astimezone(UTC) - EPOCH) // timedelta(microseconds=1),
        correlation_id=correlation_id,
        causation_id=causation_id,
        ids=ids,
        payload=canonical_json(payload),
    )
    return replace(bare, hash=chain_hash(previous, bare))


def decode(row: Row) -> Recorded:
    """Return the event of `row` in its present shape; an `UnknownEvent` where this release does not know it."""
    return Recorded(
        position=row.position,
        stream=row.stream,
        version=row.version,
        event_id=row.event_id,
        event=_event(row),
        occurred_at=EPOCH + timedelta(microseconds=row.occurred_at),
        correlation_id=row.correlation_id,
        causation_id=row.causation_id,
        hash=row.hash,
    )


def row_to_json(row: Row) -> str:
    """Return the row as one line of JSON, for the journal."""
    return canonical_json(
        [
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
    )


def row_from_json(text: str) -> Row:
    """Return the row that `row_to_json` wrote."""
    fields = json.loads(text)
    fields[9] = tuple(fields[9])
    return Row(*fields)


def _event(row: Row) -> Event:
    payload: dict[str, Any] = json.loads(row.payload)
    payload |= {name: value for name, value in zip(ID_COLUMNS, row.ids, strict=True) if value is not None}
    version, payload = upcast(row.type, row.schema_version, payload)
    known = EVENT_TYPES.get(row.type)
    if known is None or version != known.schema_version:
        return UnknownEvent(type=row.type, version=row.schema_version, content=payload)
    for name in ID_COLUMNS:
        if name in known.model_fields:
            payload.setdefault(name, None)
    return any_event.validate_python(payload | {"type": row.type})
