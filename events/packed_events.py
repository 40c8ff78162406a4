"""Packs of a long chat's events, from which the chat is read several times as fast.

In the log, the events of one chat are stored between those of all others, and DuckDB decompresses the whole payload
column to read them. A pack contains 500 consecutive events of one chat, compressed together. Packs are made at
checkpoints. They only repeat what is in the log: they can be dropped at any time, a damaged one is not used, and
`anabranch log verify` compares each with the events in the log.
"""

import zlib
from collections.abc import Iterator
from datetime import timedelta
from itertools import repeat
from typing import Any

import duckdb
from pydantic_core import from_json

from events.projections.decoded_event import DecodedEvent
from events.schema import parsed
from events.stored_row import EPOCH, ID_COLUMNS

__all__ = ["CREATE_PACKS", "changed_pack", "pack_long_chats", "packed_events"]

CREATE_PACKS = """
CREATE OR REPLACE TABLE packed_events (
  stream VARCHAR, last_version BIGINT, first_position BIGINT, last_position BIGINT,
  events BLOB USING COMPRESSION uncompressed
)
"""
"""Creates the table without packs. DuckDB must not compress it, because it would have to decompress other packs too."""

_EVENTS = 500
_AT_ONCE = 200
"""How many packs are made at one checkpoint. A log without packs gets them over several checkpoints."""
_FAST = 1
"""The level of compression: higher ones save little for text this short, and take several times as long."""

_DUE = f"""
SELECT stream, version AS last_version FROM event_log
WHERE position > (SELECT coalesce(max(last_position), 0) FROM packed_events)
  AND version % {_EVENTS} = 0 AND starts_with(stream, 'chat-')
ORDER BY position LIMIT {_AT_ONCE}
"""
"""Selects the packs to make: those that end after the last event of the newest pack."""

_COLUMNS = ", ".join(
    f"list({column} ORDER BY e.version)"
    for column in (
        "e.position",
        "e.type",
        "e.schema_version",
        "epoch_us(e.occurred_at)",
        *(f"CAST(e.{name} AS VARCHAR)" for name in ID_COLUMNS),
        "CAST(e.payload AS VARCHAR)",
    )
)
_TEXTS = f"""
SELECT p.stream, p.last_version, min(e.position) AS first_position, max(e.position) AS last_position,
       CAST(json_array({_COLUMNS}) AS VARCHAR) AS events
FROM event_log e JOIN {{0}} p
  ON e.stream = p.stream AND e.version > p.last_version - {_EVENTS} AND e.version <= p.last_version
GROUP BY p.stream, p.last_version ORDER BY last_position
"""
"""The texts of the packs in a relation, from the log: a JSON list of each column's values."""


def pack_long_chats(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the packs that are due, in one transaction.

    Raises:
        duckdb.Error: the disk refused; no pack was made.
    """
    if not connection.execute(parsed(connection, f"SELECT 1 FROM ({_DUE}) LIMIT 1")).fetchall():
        return
    texts = connection.execute(_TEXTS.format(f"({_DUE})")).fetchall()
    packs = [(*about, zlib.compress(text.encode(), _FAST)) for *about, text in texts]
    connection.execute("BEGIN")
    try:
        connection.executemany("INSERT INTO packed_events VALUES (?, ?, ?, ?, ?)", packs)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def packed_events(
    cursor: duckdb.DuckDBPyConnection, stream: str, at: int | None
) -> tuple[list[DecodedEvent], int]:
    """Return the events of a stream that are in packs, up to position `at`, and the version of the last one.

    Empty, with version 0, if there is no pack or if one is damaged: then the log itself must be read. This must be the
    first read of a transaction, which begins again if DuckDB cannot read a pack.
    """
    sql = "SELECT last_version, events FROM packed_events WHERE stream = $1"
    try:
        if at is None:
            result = cursor.execute(parsed(cursor, f"{sql} ORDER BY last_version"), {"1": stream})
        else:
            until = f"{sql} AND first_position <= $2 ORDER BY last_version"
            result = cursor.execute(parsed(cursor, until), {"1": stream, "2": at})
        packs = result.fetchall()
        events = [event for _, pack in packs for event in _events(stream, from_json(zlib.decompress(pack)))]
    except duckdb.Error:
        cursor.execute("ROLLBACK")
        cursor.execute("BEGIN")
        return [], 0
    except (zlib.error, ValueError, TypeError):
        return [], 0
    while at is not None and events and events[-1].position > at:
        events.pop()
    return events, packs[-1][0] if packs else 0


def changed_pack(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """Return the stream of a pack that does not contain exactly the events in the log; None if all do.

    Raises:
        duckdb.Error: the packs cannot be read.
    """
    found = {
        (stream, version): (first, last, pack)
        for stream, version, first, last, pack in cursor.execute("FROM packed_events").fetchall()
    }
    result = cursor.execute(_TEXTS.format("packed_events")) if found else None
    while result is not None and (texts := result.fetchmany(20)):
        for stream, version, first, last, text in texts:
            if _unpacked(found.pop((stream, version))) != (first, last, from_json(text)):
                return str(stream)
    return next((stream for stream, _ in found), None)


def _unpacked(pack: tuple[int, int, bytes]) -> tuple[int, int, Any]:
    first, last, packed = pack
    try:
        return first, last, from_json(zlib.decompress(packed))
    except (zlib.error, ValueError):
        return first, last, None


def _events(stream: str, columns: list[Any]) -> Iterator[DecodedEvent]:
    positions, types, schema_versions, times, *ids, payloads = columns
    at = (_START + timedelta(microseconds=time) for time in times)
    return map(
        DecodedEvent, positions, repeat(stream), types, schema_versions, at, zip(*ids, strict=True), payloads
    )


_START = EPOCH.replace(tzinfo=None)
