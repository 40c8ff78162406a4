"""Converts between events and rows, with stored names, versions and canonical bytes."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from events.canonical import canonical_json
from events.catalog.event_types import EVENT_TYPES
from events.chain import chained
from events.event import Event, Recorded, UnknownEvent, UnreadableEvent
from events.stored_row import EPOCH, FORMAT, ID_COLUMNS, Row
from events.text import scrub_surrogates
from events.upcasters import upcast

__all__ = ["decode", "encode"]


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
    salt: bytes,
) -> Row:
    """Return the row of `event`, hashed in the current format after the hash `previous`.

    Raises:
        ValueError: a field contains a number that JSON cannot represent, or an id or the stream contains a line break.
    """
    payload = event.payload()
    ids = tuple(payload.pop(name, None) for name in ID_COLUMNS)
    heads = (stream, event_id, event.type, correlation_id, causation_id, *ids)
    if any(head is not None and "\n" in head for head in heads):
        raise ValueError(f"An id of this {event.type} contains a line break; ids are one line.")
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
        format=FORMAT,
        salt=salt.hex(),
    )
    return chained(previous, bare)


def decode(row: Row) -> Recorded:
    """Return the event of `row` in its current form; an `UnknownEvent` if this release does not know its type."""
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


def _event(row: Row) -> Event:
    try:
        return _as_declared(row)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return UnreadableEvent(
            type=row.type, version=row.schema_version, text=row.payload, problem=_why(error)
        )


def _as_declared(row: Row) -> Event:
    payload: dict[str, Any] = json.loads(row.payload)
    payload |= {name: value for name, value in zip(ID_COLUMNS, row.ids, strict=True) if value is not None}
    version, payload = upcast(row.type, row.schema_version, payload)
    known = EVENT_TYPES.get(row.type)
    if known is None or version != known.schema_version:
        return UnknownEvent(type=row.type, version=row.schema_version, content=payload)
    for name in _IDS_OF[row.type]:
        payload.setdefault(name, None)
    payload["type"] = row.type
    return known.model_validate(payload)


_IDS_OF = {
    name: tuple(column for column in ID_COLUMNS if column in known.model_fields)
    for name, known in EVENT_TYPES.items()
}
"""The ids that events of each type have."""


def _why(error: Exception) -> str:
    """Return what is wrong with a payload: the first field that pydantic rejects, or the JSON error."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the payload"
        return f"{place}: {first['msg']}"
    return f"{type(error).__name__}: {error}"[:300]
