"""Queries on the log's table with a cursor."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from events.schema import SELECT_ROWS, to_row
from events.stored_row import GENESIS, Row

if TYPE_CHECKING:
    from events.event import Recorded

__all__ = [
    "all_events",
    "export_log",
    "first_hash",
    "hashes_after",
    "head_of",
    "known_events",
    "rows_after",
    "stream_events",
]


def head_of(cursor: duckdb.DuckDBPyConnection) -> tuple[int, str]:
    """Return the last position and the hash of its event."""
    found = cursor.execute("SELECT position, hash FROM event_log ORDER BY position DESC LIMIT 1").fetchall()
    return (int(found[0][0]), bytes(found[0][1]).hex()) if found else (0, GENESIS)


def first_hash(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """Return the hash of the first event, which identifies a log; None for an empty log."""
    found = cursor.execute("SELECT lower(hex(hash)) FROM event_log WHERE position = 1").fetchone()
    return found[0] if found else None


def hashes_after(cursor: duckdb.DuckDBPyConnection, position: int) -> Iterator[bytes]:
    """Yield the hashes of the events after `position`, in order."""
    result = cursor.execute("SELECT hash FROM event_log WHERE position > ? ORDER BY position", [position])
    while found := result.fetchmany(8192):
        yield from (bytes(value) for (value,) in found)


def rows_after(cursor: duckdb.DuckDBPyConnection, position: int, limit: int) -> list[Row]:
    """Return at most `limit` rows after `position`, in order."""
    sql = f"{SELECT_ROWS} WHERE position > ? ORDER BY position LIMIT {limit:d}"
    return [to_row(fields) for fields in cursor.execute(sql, [position]).fetchall()]


def stream_events(cursor: duckdb.DuckDBPyConnection, stream: str, after: int) -> "list[Recorded]":
    """Return the events of a stream with versions above `after`, in order."""
    sql = f"{SELECT_ROWS} WHERE stream = ? AND version > ? ORDER BY version"
    return _decoded(cursor.execute(sql, [stream, after]).fetchall())


def all_events(cursor: duckdb.DuckDBPyConnection, after: int, limit: int | None) -> "Iterator[Recorded]":
    """Yield the events after a position, in order, at most `limit`."""
    sql = f"{SELECT_ROWS} WHERE position > ? ORDER BY position" + (
        "" if limit is None else f" LIMIT {limit:d}"
    )
    result = cursor.execute(sql, [after])
    while fetched := result.fetchmany(2048):
        yield from _decoded(fetched)


def known_events(cursor: duckdb.DuckDBPyConnection, event_ids: Sequence[str]) -> "list[Recorded] | None":
    """Return the recorded events with the ids `event_ids`; None if one of them does not exist."""
    if not event_ids:
        return None
    marks = ", ".join("?" * len(event_ids))
    sql = f"{SELECT_ROWS} WHERE event_id IN ({marks}) ORDER BY position"
    found = cursor.execute(sql, list(event_ids)).fetchall()
    return _decoded(found) if len(found) == len(event_ids) else None


def _decoded(rows: Sequence[tuple[Any, ...]]) -> "list[Recorded]":
    from events.codec import decode  # noqa: PLC0415 - loads every event type

    return [decode(to_row(fields)) for fields in rows]


def export_log(cursor: duckdb.DuckDBPyConnection, file: Path) -> int:
    """Write the whole log as Parquet through Arrow; return the number of events."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - a tenth of a second that only an export need wait for

    reader = cursor.sql("FROM event_log ORDER BY position").to_arrow_reader(8192)
    with pq.ParquetWriter(file, reader.schema, compression="zstd") as writer:
        events = 0
        for batch in reader:
            writer.write_batch(batch)
            events += batch.num_rows
    return events
