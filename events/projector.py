"""Keeps the read models: one event at a time with each append, all at once in a rebuild, and as of any position.

All three are compiled from the declarations in `events.projections`. Rows of the log and of the tables commit together,
so the tables stand where the log stands. Which position that was is written down when the log is brought to rest;
where it is another one at open (after a crash, or a lost tail brought back), all is computed anew.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import duckdb

from events.codec import ID_COLUMNS, Row
from events.projections.every import TABLES, VIEWS
from events.projections.registers import Table, View
from events.schema import parsed

__all__ = ["PUBLIC", "Projector", "chat_reads", "read_model", "state_sql"]

PUBLIC = tuple(view.name for view in VIEWS)
"""The read models that can be asked for, by name."""

_FEW = 25
"""From about this many events on, one set-based pass is cheaper than a statement for each."""


def state_sql(name: str, *, at: int | None = None, chat_id: str | None = None) -> tuple[str, list[Any]]:
    """Return the SQL of one read model and its parameters.

    With `at`, as of that position, computed from the log alone by the same declarations; with `chat_id`, only that
    chat's events (and those that belong to no chat) are looked at, and only its rows returned.

    Raises:
        KeyError: there is no such read model.
    """
    parameters: list[Any] = []
    ctes: list[str] = []
    if at is not None:
        scope, kept = "", "NOT MATERIALIZED"
        parameters.append(at)
        if chat_id is not None:
            of_this = (
                "stream = ?" if name in _OF_A_CHAT else "(stream = ? OR NOT starts_with(stream, 'chat-'))"
            )
            scope, kept = f" AND {of_this}", "MATERIALIZED"
            parameters.append(f"chat-{chat_id}")
        ctes.append(f"event_log AS {kept} (SELECT {_READ} FROM main.event_log WHERE position <= ?{scope})")
        ctes += _standing_in(name)
    of_chat = ""
    if chat_id is not None and name in _OF_A_CHAT:
        of_chat = f" WHERE {_OF_A_CHAT[name]}"
        parameters.append(chat_id)
    head = f"WITH {', '.join(ctes)} " if ctes else ""
    return f"{head}SELECT {_columns(name)} FROM {name}{of_chat} ORDER BY {_ORDER[name]}", parameters


_READ = ", ".join(("position", "stream", "type", "occurred_at", *ID_COLUMNS, "payload"))
"""The columns of the log that declarations use."""

_ORDER = {view.name: view.order for view in VIEWS}

_DECLARED = {t.name: t.rebuild_sql() for t in TABLES} | {v.name: v.sql for v in VIEWS}


def _standing_on(name: str) -> tuple[str, ...]:
    """The declarations that `name` reads, each after those that it reads itself, and `name` last."""
    words = set(re.findall(r"\w+", _DECLARED[name]))
    below = [part for other in _DECLARED if other != name and other in words for part in _standing_on(other)]
    return (*dict.fromkeys(below), name)


_NEEDED = {view.name: _standing_on(view.name) for view in VIEWS}


def _standing_in(name: str, *, tables: bool = True) -> list[str]:
    """The declarations that `name` stands on as CTEs over the relation `event_log`; without `tables`, views alone."""
    return [f"{part} AS ({_DECLARED[part]})" for part in _NEEDED[name] if tables or part in _ORDER]


_OF_A_CHAT = dict.fromkeys(
    ("chats", "messages", "turns", "tool_calls", "workspace_manifests"), "chat_id = ?"
) | {"manifest_files": "manifest_id IN (SELECT id FROM workspace_manifests WHERE chat_id = ?)"}
"""The read models whose rows belong to a chat, and which of them belong to a given one."""


def read_model(
    cursor: duckdb.DuckDBPyConnection, name: str, *, at: int | None = None, chat_id: str | None = None
) -> list[dict[str, Any]]:
    """Return the rows of one read model as dicts of Python values; JSON columns are decoded, ids are text."""
    sql, parameters = state_sql(name, at=at, chat_id=chat_id)
    return _rows(cursor, name, sql, parameters)


@contextmanager
def chat_reads(
    cursor: duckdb.DuckDBPyConnection, chat_id: str, *, at: int | None = None
) -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Fetch a chat's events once, and give a `read_model` over them: several models of one chat, all of one moment.

    Where a chat lies scattered over a long log, fetching its events is most of what a read costs.
    """
    upto = "" if at is None else " AND position <= ?"
    chats_own = f"SELECT {_READ} FROM main.event_log WHERE stream = ?{upto}"
    cursor.execute(parsed(cursor, "BEGIN"))
    cursor.execute(
        parsed(cursor, f"CREATE TEMP TABLE chat_events AS {chats_own}"),
        [f"chat-{chat_id}"] if at is None else [f"chat-{chat_id}", at],
    )

    def read(name: str, **where: Any) -> list[dict[str, Any]]:
        if name not in _OF_A_CHAT or where != {"at": at, "chat_id": chat_id}:
            raise ValueError(
                f"The events of chat {chat_id} as of {at} were fetched; {name} of {where} is not in them."
            )
        ctes = ", ".join(["event_log AS (FROM chat_events)", *_standing_in(name, tables=at is not None)])
        where_its = f"WHERE {_OF_A_CHAT[name]} ORDER BY {_ORDER[name]}"
        return _rows(cursor, name, f"WITH {ctes} SELECT {_columns(name)} FROM {name} {where_its}", [chat_id])

    try:
        yield read
    finally:
        cursor.execute(parsed(cursor, "ROLLBACK"))


_IDS: dict[str, str] = {}
"""By read model: how its UUIDs are asked for as text, a tenth of what making them in Python takes. Learnt as we go."""


def _columns(name: str) -> str:
    return f"*{_IDS.get(name, '')}"


def _rows(
    cursor: duckdb.DuckDBPyConnection, name: str, sql: str, parameters: list[Any]
) -> list[dict[str, Any]]:
    """The rows of a query of a read model, whose text is parsed once: a fifth of what a small one takes."""
    result = cursor.execute(parsed(cursor, sql), parameters)
    if name not in _IDS:
        ids = [column[0] for column in result.description or () if str(column[1]) == "UUID"]
        casts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in ids)
        _IDS[name] = f" REPLACE ({casts})" if casts else ""
    return rows_of(result)


def rows_of(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the rows of an executed query as dicts, with JSON decoded and ids as text."""
    described = [(column[0], str(column[1])) for column in result.description or ()]
    names = [name for name, _ in described]
    plain = [
        (name, json.loads if kind == "JSON" else str) for name, kind in described if kind in ("JSON", "UUID")
    ]
    rows = [dict(zip(names, values, strict=True)) for values in result.fetchall()]
    for name, read in plain:
        for row in rows:
            if row[name] is not None:
                row[name] = read(row[name])
    return rows


class Projector:
    """Owns the tables of the read models in the log's database."""

    def __init__(self, tables: Sequence[Table] = TABLES, views: Sequence[View] = VIEWS) -> None:
        self._tables = tables
        self._views = views
        declared = "".join(t.create_sql() + t.rebuild_sql() for t in tables) + "".join(v.sql for v in views)
        self.fingerprint = sha256(declared.encode()).hexdigest()
        """Of the declarations: other ones need a rebuild."""

    def catch_up(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Bring the tables up to the log's head and return how many events that took; twice changes nothing."""
        found = self._position(cursor)
        head = cursor.execute("SELECT coalesce(max(position), 0) FROM event_log").fetchall()[0][0]
        if found == head:
            return 0
        self.rebuild(cursor)
        return int(head - (found or 0))

    def rebuild(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop every read model and compute it again from the log, in one transaction."""
        cursor.execute("BEGIN")
        try:
            for view in reversed(self._views):
                cursor.execute(f"DROP VIEW IF EXISTS {view.name}")
            for table in self._tables:
                cursor.execute(f"DROP TABLE IF EXISTS {table.name}")
                cursor.execute(table.create_sql())
                cursor.execute(f"INSERT INTO {table.name} {table.rebuild_sql()} ORDER BY 1")
            for view in self._views:
                cursor.execute(f"CREATE VIEW {view.name} AS {view.sql}")
            cursor.execute("DROP TABLE IF EXISTS projection_position")
            cursor.execute("CREATE TABLE projection_position (position BIGINT, fingerprint VARCHAR)")
            cursor.execute(
                "INSERT INTO projection_position SELECT coalesce(max(position), 0), ? FROM event_log",
                [self.fingerprint],
            )
            cursor.execute("COMMIT")
        except BaseException:
            cursor.execute("ROLLBACK")
            raise

    def apply(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Project `rows`, just inserted, inside the transaction that `cursor` is in."""
        if len(rows) > _FEW:
            self._apply_many(cursor, rows[0].position)
        else:
            for row in rows:
                self._apply_one(cursor, row)

    def mark(self, cursor: duckdb.DuckDBPyConnection, position: int) -> None:
        """Write down that the tables are current up to `position`, the log's head: before a checkpoint.

        A statement that changes one row costs a third of an append; so it is not a part of each.
        """
        cursor.execute("UPDATE projection_position SET position = ?", [position])

    def _apply_one(self, cursor: duckdb.DuckDBPyConnection, row: Row) -> None:
        payload: Mapping[str, Any] = json.loads(row.payload)
        for table in self._tables:
            compiled = table.statements(row, payload)
            if compiled is None:
                continue
            update, insert, parameters = compiled
            if cursor.execute(update, parameters).fetchall()[0][0] == 0:
                cursor.execute(insert, parameters)

    def _apply_many(self, cursor: duckdb.DuckDBPyConnection, first: int) -> None:
        """Compute anew, from the whole log, the rows of every key that the events from `first` on touch."""
        for table in self._tables:
            touched = f"SELECT {table.key} FROM ({table.rebuild_sql(f'position >= {first:d}')})"
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE touched AS {touched}")
            cursor.execute(f"DELETE FROM {table.name} WHERE {table.key} IN (FROM touched)")
            cursor.execute(
                f"INSERT INTO {table.name} FROM ({table.rebuild_sql()}) WHERE {table.key} IN (FROM touched)"
            )
        cursor.execute("DROP TABLE IF EXISTS touched")

    def _position(self, cursor: duckdb.DuckDBPyConnection) -> int | None:
        """The position that the tables stand at; None where they are absent or of other declarations."""
        known = cursor.execute(
            "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'projection_position'"
        ).fetchall()[0][0]
        if not known:
            return None
        rows = cursor.execute("SELECT position, fingerprint FROM projection_position").fetchall()
        if len(rows) != 1 or rows[0][1] != self.fingerprint:
            return None
        return int(rows[0][0])
