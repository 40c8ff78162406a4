"""Reads SQLite files in place with Python's own library.

ADBC's driver is not used: it takes the types from the first rows and refuses other types later, although in SQLite each
value may have its own type. It also does not support an authorizer, with which SQLite itself refuses everything but
reading.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from anabranch_tool.source_errors import SourceError

__all__ = ["connect", "stop"]

_AT_ONCE = 20_000
_STEPS = 50_000
"""The number of steps of SQLite's virtual machine between two checks of the time."""
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
_EXACT = 1 << 53
"""A floating-point number can represent every whole number up to this limit."""
_UNSAFE = ("load_extension", "fts3_tokenizer")
_MAGIC = b"SQLite format 3\0"


def connect(source: Mapping[str, Any]) -> "_Connection":
    """See `source_connections.connect`."""
    return _Connection(source)


def stop(source: Mapping[str, Any], call_id: str) -> int:  # noqa: ARG001 - there is no server
    """See `source_connections.stop`: SQLite runs in the call's own process, which has ended."""
    return 0


class _Connection:
    def __init__(self, source: Mapping[str, Any]) -> None:
        self._source = source
        self._as_text: dict[str, None] = {}
        self._file = Path(source["database"])
        self._until = time.monotonic() + source["seconds"]
        self._state = _state(self._file, source)
        # if the write-ahead log has content, the file by itself is outdated, and only SQLite can read both together
        log = Path(f"{self._file}-wal")
        self._plain = not log.exists() or log.stat().st_size == 0
        address = f"{self._file.as_uri()}?mode=ro{'&immutable=1' if self._plain else ''}"
        try:
            self._open = sqlite3.connect(address, uri=True, isolation_level=None)
            self._open.execute("PRAGMA query_only = ON")
            self._open.execute("PRAGMA trusted_schema = OFF")
            self._open.execute(
                "BEGIN"
            )  # with a write-ahead log, this state is read even if another process writes meanwhile
            self._open.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.Error as error:
            raise _failed(error, source) from None
        self._open.text_factory = lambda data: data.decode("utf-8", "replace")
        self._open.set_progress_handler(lambda: int(time.monotonic() > self._until), _STEPS)

    def server(self) -> str:
        """See `Connection.server`."""
        return f"SQLite {sqlite3.sqlite_version}"

    def tables(self) -> Iterator[dict[str, Any]]:
        """See `Connection.tables`. Rows are counted if that is quick, because SQLite stores no estimate."""
        found = self._open.execute(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        ).fetchall()
        small = self._file.stat().st_size < 200 << 20
        for name, kind in found:
            quoted = '"' + name.replace('"', '""') + '"'
            try:
                columns = self._open.execute(f"PRAGMA table_info({quoted})").fetchall()
                count = small and kind == "table"
                rows = self._open.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0] if count else None
            except sqlite3.Error:
                # a view of tables that no longer exist, or a virtual table whose module is missing
                continue
            listed = [{"name": c[1], "type": c[2] or "any", "note": "key" if c[5] else ""} for c in columns]
            yield {"schema": "main", "name": name, "kind": kind, "rows": rows, "columns": listed}

    def snapshot(self) -> dict[str, Any]:
        """See `Connection.snapshot`. The identifier contains SQLite's own change counter, and the file's size
        and time.
        """
        with self._file.open("rb") as stream:
            changes = int.from_bytes(stream.read(28)[24:28])
        parts = [f"{size} bytes, mtime {mtime}" for size, mtime, _ in _in_threes(self._state)]
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {"id": f"change {changes}, {' and a log of '.join(parts)}", "at": now}

    def read(self, sql: str) -> Iterator[pa.RecordBatch]:
        """See `Connection.read`."""
        self._open.set_authorizer(_authorized)
        try:
            cursor = self._open.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            yield pa.RecordBatch.from_arrays([pa.nulls(0) for _ in names], names=names)
            while rows := cursor.fetchmany(_AT_ONCE):
                columns = [self._column(name, [row[at] for row in rows]) for at, name in enumerate(names)]
                yield pa.RecordBatch.from_arrays(columns, names=names)
        except sqlite3.Error as error:
            raise _failed(error, self._source) from None
        if self._plain and _state(self._file, self._source) != self._state:
            words = f"{self._file.name} was changed while it was read, so the rows may not belong together. Ask again."
            raise SourceError("changed", words)

    def as_text(self) -> tuple[str, ...]:
        """See `Connection.as_text`."""
        return tuple(self._as_text)

    def close(self) -> None:
        """See `Connection.close`."""
        self._open.close()

    def _column(self, name: str, values: list[Any]) -> pa.Array:
        column = _column(values)
        if pa.types.is_string(column.type) and {type(value) for value in values} - {type(None), str}:
            self._as_text[name] = None
        return column


def _authorized(action: int, _one: str | None, two: str | None, *_: str | None) -> int:
    """Let SQLite itself refuse everything but reading."""
    if action not in _READS or (action == sqlite3.SQLITE_FUNCTION and two in _UNSAFE):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _state(file: Path, source: Mapping[str, Any]) -> tuple[int, ...]:
    """Return values that show whether the file has changed.

    Raises:
        SourceError: there is no such database.
    """
    try:
        found = [os.stat(file)]  # noqa: PTH116 - with the log beside it
        with file.open("rb") as stream:
            magic = stream.read(16)
        log = Path(f"{file}-wal")
        found += [log.stat()] if log.exists() else []
    except FileNotFoundError:
        words = f"{file} does not exist. If it was moved, edit {source['name']} on the Sources page."
        raise SourceError("cannot_connect", words) from None
    except OSError as error:
        words = f"{file} cannot be opened: {error.strerror}. Check its permissions."
        raise SourceError("no_right", words) from None
    if magic != _MAGIC:
        raise SourceError("cannot_connect", f"{file} is not a SQLite database, or it is encrypted.")
    return tuple(value for one in found for value in (one.st_size, one.st_mtime_ns, one.st_ino))


def _in_threes(values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from (values[at : at + 3] for at in range(0, len(values), 3))


def _column(values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    if kinds == {int}:
        return pa.array(values, pa.int64())
    if kinds <= {int, float} and all(abs(value) <= _EXACT for value in values if type(value) is int):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if kinds == {bytes}:
        return pa.array(values, pa.binary())
    return pa.array([_text(value) for value in values], pa.string())


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else str(value)


def _failed(error: sqlite3.Error, source: Mapping[str, Any]) -> SourceError:
    name, said = source["name"], str(error)
    if said == "interrupted":
        words = f"The query took longer than the {source['seconds']:g} seconds that {name} allows, and was stopped."
        return SourceError("too_slow", f"{words} Read fewer rows, aggregate, or raise the source's limit.")
    if said.startswith("no such table"):
        return SourceError(
            "table_gone",
            f"{name} reports: {said}. If the table was dropped, refresh the table list of {name}.",
        )
    if said in ("not authorized",) or said.endswith("is prohibited"):
        return SourceError("no_right", f"{name} only allows reading tables ({said}).")
    if "locked" in said:
        return SourceError(
            "cannot_connect", f"{name} is being written to by another program. Try again in a moment."
        )
    return SourceError("failed", f"{name} reports: {said}")
