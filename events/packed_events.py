"""Packs of a long chat's events, from which the chat is read several times as fast.

In the log, the events of one chat are stored between the events of all other chats, and DuckDB decompresses the whole
payload column to read them. A pack contains 500 consecutive events of one chat, compressed together. Packs are made at
checkpoints. They only repeat what is in the log: they can be dropped at any time, a damaged one is not used, and
`anabranch log verify` compares each with the events in the log.
"""

import zlib
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import repeat
from typing import Any, TypeAlias

import duckdb

from events.json_text import from_json
from events.projections.decoded_event import DecodedEvent
from events.schema import parsed
from events.stored_row import EPOCH, ID_COLUMNS

__all__ = ["CREATE_PACKS", "changed_pack", "pack_long_chats", "packed_events"]

CREATE_PACKS = """
CREATE OR REPLACE TABLE packed_events (
  stream VARCHAR NOT NULL, last_version BIGINT NOT NULL, first_position BIGINT NOT NULL, last_position BIGINT NOT NULL,
  events BLOB NOT NULL USING COMPRESSION uncompressed
)
"""
"""Creates the empty table of packs. DuckDB must not compress it: to read a pack, it would decompress others too."""

_EVENTS = 500
_AT_ONCE = 20
"""How many packs are made at one checkpoint, or compared at a time, so that their events fit into memory. A log without
packs gets them over several checkpoints.
"""
_FAST = 1
"""The level of compression. Higher levels save little for text this short, and take several times as long."""

_DUE = f"""
SELECT stream, last.version, first.position, last.position
FROM event_log last JOIN event_log first USING (stream)
WHERE last.position > (SELECT coalesce(max(last_position), 0) FROM packed_events)
  AND last.version % {_EVENTS} = 0 AND first.version = last.version - {_EVENTS - 1} AND starts_with(stream, 'chat-')
ORDER BY last.position LIMIT {_AT_ONCE}
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
SELECT p.stream, p.last_version, CAST(json_array({_COLUMNS}) AS VARCHAR) AS events
FROM event_log e JOIN (SELECT unnest($1) AS stream, unnest($2) AS last_version) p
  ON e.stream = p.stream AND e.version > p.last_version - {_EVENTS} AND e.version <= p.last_version
WHERE e.position BETWEEN $3 AND $4
GROUP BY p.stream, p.last_version
"""
"""The texts of packs, from the log: a JSON list of each column's values."""

_Pack: TypeAlias = tuple[str, int, int, int]
"""A pack: its stream, its last version, its first and its last position."""


def pack_long_chats(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the packs that are due, in one transaction.

    Raises:
        duckdb.Error: the disk could not be read or written; no pack was made.
    """
    due = connection.execute(parsed(connection, _DUE)).fetchall()
    if not due:
        return
    texts = _texts(connection, due)
    packs = [(*pack, zlib.compress(texts[pack[:2]].encode(), _FAST)) for pack in due]
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
    """Return the events of a stream that are in packs, up to position `at`, and the last version in these packs.

    If there is no pack, or one is damaged, return no events and version 0; the caller then reads the log itself. Call
    this before any other read of a transaction: if DuckDB cannot read a pack, the transaction begins again.
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
    index = (
        "SELECT stream, last_version, first_position, last_position FROM packed_events ORDER BY last_position"
    )
    packs = cursor.execute(index).fetchall()
    for start in range(0, len(packs), _AT_ONCE):
        some = packs[start : start + _AT_ONCE]
        texts = _texts(cursor, some)
        for pack in some:
            text = texts.get(pack[:2])
            if text is None or not _holds(cursor, pack, from_json(text)):
                return str(pack[0])
    return None


def _texts(cursor: duckdb.DuckDBPyConnection, packs: Sequence[_Pack]) -> dict[tuple[str, int], str]:
    """Return the texts of `packs` from the log, by stream and last version."""
    streams, versions, firsts, lasts = zip(*packs, strict=True)
    given = {"1": list(streams), "2": list(versions), "3": min(firsts), "4": max(lasts)}
    found = cursor.execute(parsed(cursor, _TEXTS), given).fetchall()
    return {(stream, version): text for stream, version, text in found}


def _holds(cursor: duckdb.DuckDBPyConnection, pack: _Pack, columns: list[Any]) -> bool:
    """Return whether a pack contains exactly the events whose values are in `columns`."""
    stream, version, first, last = pack
    sql = "SELECT events FROM packed_events WHERE stream = $1 AND last_version = $2"
    stored = cursor.execute(parsed(cursor, sql), {"1": stream, "2": version}).fetchall()
    try:
        same = [from_json(zlib.decompress(packed)) for (packed,) in stored] == [columns]
    except (zlib.error, ValueError):
        return False
    return same and (columns[0][0], columns[0][-1]) == (first, last)


def _events(stream: str, columns: list[Any]) -> Iterator[DecodedEvent]:
    positions, types, schema_versions, times, *ids, payloads = columns
    at = (_START + timedelta(microseconds=time) for time in times)
    return map(
        DecodedEvent, positions, repeat(stream), types, schema_versions, at, zip(*ids, strict=True), payloads
    )


_START = EPOCH.replace(tzinfo=None)
