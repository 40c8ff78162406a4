"""An event as the declared read models read it: the log's columns, and the payload, which is decoded on first use.

Most events of a chat are never read completely: half of their bytes are data parts of requests to models.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from events.json_text import from_json
from events.stored_row import EPOCH, Row

__all__ = ["DecodedEvent", "decoded_event"]


class DecodedEvent:
    """An event with its payload decoded."""

    __slots__ = ("_payload", "_text", "ids", "occurred_at", "position", "schema_version", "stream", "type")

    def __init__(
        self,
        position: int,
        stream: str,
        type: str,
        schema_version: int,
        occurred_at: datetime,
        ids: Sequence[str | None],
        text: str,
    ) -> None:
        """Take an event's columns and the text of its payload. The time is in UTC but has no time zone, as in
        DuckDB."""
        self.position = position
        self.stream = stream
        self.type = type
        self.schema_version = schema_version
        self.occurred_at = occurred_at
        self.ids = ids
        """The event's ids, in the order of `ID_COLUMNS`."""
        self._text = text
        self._payload: Mapping[str, Any] | None = None

    @property
    def payload(self) -> Mapping[str, Any]:
        """The event's fields, without the ids that have their own columns in the log (`ids`).

        Empty if the stored JSON is not an object; read models that are computed in SQL treat it the same way.
        """
        if self._payload is None:
            self._payload = _decoded(self._text)
        return self._payload


def decoded_event(row: Row) -> DecodedEvent:
    """Return a row of the log as a `DecodedEvent`."""
    at = (EPOCH + timedelta(microseconds=row.occurred_at)).replace(tzinfo=None)
    return DecodedEvent(row.position, row.stream, row.type, row.schema_version, at, row.ids, row.payload)


def _decoded(text: str) -> Mapping[str, Any]:
    try:
        payload = from_json(text)
    except ValueError:  # damaged, or nested too deeply for this reader
        try:
            payload = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    return payload if isinstance(payload, dict) else {}
