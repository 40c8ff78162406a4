"""Reads a stream's times and types without payloads, and one event with its link in the hash chain."""

import json
from datetime import datetime

import duckdb

from events.chain import holds
from events.codec import decode
from events.event import Recorded
from events.late_dataclass import dataclass
from events.schema import SELECT_ROWS, to_row
from events.stored_row import GENESIS

__all__ = ["EventSummary", "VerifiedEvent", "event_summaries", "read_verified_event", "streams_that_say"]

_OUTLINE = """
SELECT position, type, occurred_at, CAST(turn_id AS VARCHAR) FROM event_log WHERE stream = ? ORDER BY position
"""
_SAID = """
SELECT stream, arg_max(payload->>'$.parts', position) FROM event_log
WHERE type = 'MessageAdded' AND contains(lower(payload->>'$.parts'), lower(?)) GROUP BY stream
"""
_PREDECESSOR = "SELECT lower(hex(hash)) FROM event_log WHERE position = ?"


@dataclass(frozen=True, slots=True)
class EventSummary:
    """An event without its content."""

    position: int
    type: str
    occurred_at: datetime
    """The time in UTC."""
    turn_id: str | None


@dataclass(frozen=True, slots=True)
class VerifiedEvent:
    """An event with the result of checking its hash against its content and its predecessor."""

    recorded: Recorded
    holds: bool


def event_summaries(cursor: duckdb.DuckDBPyConnection, stream: str) -> list[EventSummary]:
    """Return a stream's events in order, without their contents."""
    return [EventSummary(*row) for row in cursor.execute(_OUTLINE, [stream]).fetchall()]


def streams_that_say(cursor: duckdb.DuckDBPyConnection, words: str) -> dict[str, str]:
    """Return the streams with a message that contains `words`, ignoring case, each with the last such message."""
    spelled = json.dumps(words, ensure_ascii=False)[1:-1]  # escaped as in the payload
    found = cursor.execute(_SAID, [spelled]).fetchall()
    return {stream: "".join(part.get("text") or "" for part in json.loads(parts)) for stream, parts in found}


def read_verified_event(
    cursor: duckdb.DuckDBPyConnection, *, position: int | None = None, event_id: str | None = None
) -> VerifiedEvent | None:
    """Return the event at `position` or with `event_id`; None if there is no such event."""
    where, value = ("position = ?", position) if event_id is None else ("event_id = ?", event_id)
    found = cursor.execute(f"{SELECT_ROWS} WHERE {where}", [value]).fetchone()
    if found is None:
        return None
    row = to_row(found)
    before = cursor.execute(_PREDECESSOR, [row.position - 1]).fetchone()
    return VerifiedEvent(decode(row), holds(before[0] if before else GENESIS, row))
