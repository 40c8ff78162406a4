"""Moves a log between data folders as lines of JSON, and verifies it by its hashes.

The imported events are numbered again, because they may be only a part of the exported ones. They keep their ids, times
and texts.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import duckdb
from pydantic import TypeAdapter, ValidationError

from events.canonical import canonical_json
from events.chain import chained, holds, new_salt
from events.codec import decode
from events.event import Recorded, UnknownEvent, UnreadableEvent
from events.journal import begin_journal
from events.log import LogDamaged
from events.log_files import DATABASE, JOURNAL
from events.open_database import open_database
from events.schema import SELECT_ROWS, insert_rows, to_row
from events.stored_row import FORMAT, GENESIS, ID_COLUMNS, Row, row_from_json, row_to_json

__all__ = ["Row", "from_lines", "lines_of", "recorded", "settle"]

_FIRST: TypeAlias = tuple[
    int, str, int, str, str, int, int, str | None, str | None, list[str | None], str, str
]
_SECOND: TypeAlias = tuple[
    int, str, int, str, str, int, int, str | None, str | None, list[str | None], str, str, int, str, str
]
_SHAPE: TypeAdapter[_FIRST | _SECOND] = TypeAdapter(_FIRST | _SECOND)
_POSITIONS = ("origin_position",)
"""Fields that contain a position in the log."""


def lines_of(cursor: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield each event of the log as one line of JSON, in order."""
    result = cursor.execute(f"{SELECT_ROWS} ORDER BY position")
    while fetched := result.fetchmany(2048):
        for fields in fetched:
            yield row_to_json(to_row(fields))


def from_lines(lines: Iterable[str]) -> Iterator[Row]:
    """Yield the events that `lines_of` wrote, after checking that each event has the expected position, version and
    hash, and can be read.

    Raises:
        LogDamaged: a line was changed, or this release does not know it; the error names the first such line.
    """
    previous, versions = GENESIS, dict[str, int]()
    for number, line in enumerate(lines, 1):
        row = _read(line, number)
        versions[row.stream] = versions.get(row.stream, 0) + 1
        placed = row.position == number and row.version == versions[row.stream]
        if not placed or not holds(previous, row):
            raise LogDamaged(f"Event {number} was changed after it was written.")
        previous = row.hash
        yield row


def _read(line: str, number: int) -> Row:
    try:
        fields = _SHAPE.validate_json(line, strict=True)
        if len(fields[9]) != len(ID_COLUMNS):
            raise ValueError
        row = row_from_json(line)
        event = decode(row).event
        if isinstance(event, UnreadableEvent):
            raise LogDamaged(f"Event {number} ({event.type}) cannot be read: {event.problem}.")
        if isinstance(event, UnknownEvent):
            raise LogDamaged(f"Event {number} is of a type that this release does not know.")
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, ValidationError):
        raise LogDamaged(f"Event {number} cannot be read.") from None
    return row


def recorded(row: Row) -> Recorded:
    """Return the event of a row."""
    return decode(row)


def settle(home: Path, rows: Sequence[Row]) -> None:
    """Create a log in the empty folder `home` from `rows`, with new positions and hashes.

    Raises:
        LogDamaged: the database refuses the rows.
    """
    moved = {row.position: place for place, row in enumerate(rows, 1)}
    settled: list[Row] = []
    for row in rows:
        bare = replace(
            row,
            position=moved[row.position],
            payload=_payload(row, moved),
            format=FORMAT,
            salt=new_salt().hex(),
        )
        settled.append(chained(settled[-1].hash if settled else GENESIS, bare))
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = open_database(home / DATABASE)
    try:
        connection.execute("BEGIN")
        insert_rows(connection, settled)
        connection.execute("COMMIT")
        connection.execute("CHECKPOINT")
        if settled:
            begin_journal(home / JOURNAL, settled[-1])
    except (duckdb.Error, ValueError, OverflowError) as error:
        raise LogDamaged(
            "The events do not fit together: an id or a time is invalid or occurs twice."
        ) from error
    finally:
        connection.close()


def _payload(row: Row, moved: dict[int, int]) -> str:
    """Return the payload with new positions. A position becomes the new position of the same event or, if that event
    was not exported, of the last exported event before it.
    """
    if not any(f'"{name}"' in row.payload for name in _POSITIONS):
        return row.payload
    payload = json.loads(row.payload)
    for name in _POSITIONS:
        if isinstance(payload.get(name), int):
            before = [place for old, place in moved.items() if old <= payload[name]]
            payload[name] = max(before, default=0)
    return canonical_json(payload)
