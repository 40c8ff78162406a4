"""The log's only table in DuckDB, and the conversion between its rows and `Row`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import duckdb

from events.stored_row import EPOCH, ID_COLUMNS, Row

__all__ = ["CREATE_LOG", "SELECT_ROWS", "insert_rows", "parsed", "to_row", "upgrade"]

_IDS = ", ".join(f"{name} UUID" for name in ID_COLUMNS)

CREATE_LOG = f"""
CREATE TABLE event_log (
  position BIGINT NOT NULL, stream VARCHAR NOT NULL, version BIGINT NOT NULL, event_id UUID NOT NULL,
  type VARCHAR NOT NULL, schema_version INTEGER NOT NULL, occurred_at TIMESTAMP NOT NULL,
  correlation_id UUID, causation_id UUID, {_IDS},
  payload JSON NOT NULL, hash BLOB NOT NULL,
  format SMALLINT DEFAULT 1, salt BLOB, payload_hash BLOB,
  PRIMARY KEY (position), UNIQUE (stream, version), UNIQUE (event_id)
);
CREATE TABLE event_log_guard (refused VARCHAR);
CREATE TRIGGER no_update AFTER UPDATE ON event_log REFERENCING OLD TABLE AS was FOR EACH STATEMENT
  INSERT INTO event_log_guard SELECT error('Events are never changed: event_log refuses UPDATE.') FROM was;
CREATE TRIGGER no_delete AFTER DELETE ON event_log REFERENCING OLD TABLE AS was FOR EACH STATEMENT
  INSERT INTO event_log_guard SELECT error('Events are never removed: event_log refuses DELETE.') FROM was;
"""

_COLUMNS = (
    "position",
    "stream",
    "version",
    "event_id",
    "type",
    "schema_version",
    "occurred_at",
    "correlation_id",
    "causation_id",
    *ID_COLUMNS,
    "payload",
    "hash",
    "format",
    "salt",
    "payload_hash",
)
_SINCE_FORMAT_2 = {"format": "SMALLINT DEFAULT 1", "salt": "BLOB", "payload_hash": "BLOB"}
_AS_TEXT = {"event_id", "correlation_id", "causation_id", *ID_COLUMNS}

SELECT_ROWS = (
    "SELECT "
    + ", ".join(f"CAST({c} AS VARCHAR)" if c in _AS_TEXT else c for c in _COLUMNS)
    + " FROM event_log"
)
"""A SELECT of whole rows; `to_row` converts its tuples."""


_INSERT = f"INSERT INTO event_log ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_PARSED: dict[str, duckdb.Statement] = {}


def parsed(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Return a statement that is parsed only once: parsing is a sixth of the cost of inserting a row."""
    if sql not in _PARSED:
        _PARSED[sql] = cursor.extract_statements(sql)[0]
    return _PARSED[sql]


def upgrade(connection: duckdb.DuckDBPyConnection) -> None:
    """Add the new columns to a log that was made before hash format 2; its rows do not change and
    stay in format 1.
    """
    try:  # listing all columns would take a third of the time to open a log
        there = {name for name, *_ in connection.execute("FROM main.event_log LIMIT 0").description or ()}
    except duckdb.CatalogException:
        there = set()
    missing = [f"{name} {kind}" for name, kind in _SINCE_FORMAT_2.items() if name not in there]
    if there and missing:
        added = "".join(f"ALTER TABLE event_log ADD COLUMN {column}; " for column in missing)
        connection.execute(f"BEGIN; {added}COMMIT")


def to_row(fields: Sequence[Any]) -> Row:
    """Convert a tuple that `SELECT_ROWS` returned to a row."""
    count = len(ID_COLUMNS)
    occurred: datetime = fields[6]
    return Row(
        position=fields[0],
        stream=fields[1],
        version=fields[2],
        event_id=fields[3],
        type=fields[4],
        schema_version=fields[5],
        occurred_at=(occurred - EPOCH.replace(tzinfo=None)) // timedelta(microseconds=1),
        correlation_id=fields[7],
        causation_id=fields[8],
        ids=tuple(fields[9 : 9 + count]),
        payload=fields[9 + count],
        hash=bytes(fields[10 + count]).hex(),
        format=fields[11 + count],
        salt=_hex(fields[12 + count]),
        payload_hash=_hex(fields[13 + count]),
    )


def _hex(value: bytes | None) -> str | None:
    return None if value is None else bytes(value).hex()


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else bytes.fromhex(value)


def insert_rows(cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
    """Insert `rows` in the current transaction of `cursor`."""
    if len(rows) == 1:
        cursor.execute(parsed(cursor, _INSERT), list(_values(rows[0])))
        return
    appender = cursor.appender("event_log")
    appender.append_rows([_values(row) for row in rows])
    appender.flush()


def _values(row: Row) -> tuple[Any, ...]:
    occurred = (EPOCH + timedelta(microseconds=row.occurred_at)).replace(tzinfo=None)
    return (
        row.position,
        row.stream,
        row.version,
        row.event_id,
        row.type,
        row.schema_version,
        occurred,
        row.correlation_id,
        row.causation_id,
        *row.ids,
        row.payload,
        bytes.fromhex(row.hash),
        row.format,
        _bytes(row.salt),
        _bytes(row.payload_hash),
    )
