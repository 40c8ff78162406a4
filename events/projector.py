"""Keeps the read models: one event at a time with each append, all at once in a rebuild, and as of any position.

All three are compiled from the declarations in `events.projections`. Every transaction that puts rows into the log puts
what they change into the tables, or computes the tables anew. So their position is that of the log in any snapshot: it
is read from there (`projection_state`) and never written. What is written is whose declarations the tables follow.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb

from events.projections.registers import Table, View
from events.projections.registry import TABLES, VIEWS
from events.projections.steps import CURRENT_EVENTS, LOG_COLUMNS
from events.schema import parsed
from events.stored_row import Row

__all__ = ["PUBLIC", "Projector", "chat_reads", "read_model", "state_sql", "write_parquet"]

PUBLIC = tuple(view.name for view in VIEWS if view is not CURRENT_EVENTS)
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
    return f"{head}SELECT {_SELECTED} FROM {name}{of_chat} ORDER BY {_ORDER[name]}", parameters


_SELECTED = "/* columns */ *"
"""Stands for what is selected of a read model; as it is, everything."""


_READ = ", ".join(LOG_COLUMNS)
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
    (
        "chats",
        "messages",
        "turns",
        "steps",
        "compactions",
        "tool_calls",
        "workspace_manifests",
        "definitions",
        "definition_versions",
        "step_definitions",
    ),
    "chat_id = ?",
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
    cursor: duckdb.DuckDBPyConnection, chat_id: str, *, at: int | None = None, since: int | None = None
) -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Fetch a chat's events once, and give a `read_model` over them: several models of one chat, all of one moment.

    Where a chat lies scattered over a long log, fetching its events is most of what a read costs. With `since`, a
    version of the chat's stream, only the rows are given that later events could have changed, and perhaps others of
    the same turns; the chat's own row is always given.
    """
    cursor.execute(parsed(cursor, "BEGIN"))
    if since is None:
        upto, given = ("", []) if at is None else (" AND position <= ?", [at])
        chats_own = f"SELECT {_READ} FROM main.event_log WHERE stream = ?{upto}"
        cursor.execute(
            parsed(cursor, f"CREATE TEMP TABLE chat_events AS {chats_own}"), [f"chat-{chat_id}", *given]
        )
        types = None
    else:
        types = _fetch_since(cursor, chat_id, since)

    def read(name: str, **where: Any) -> list[dict[str, Any]]:
        if name not in _OF_A_CHAT or where != {"at": at, "chat_id": chat_id}:
            raise ValueError(
                f"The events of chat {chat_id} as of {at} were fetched; {name} of {where} is not in them."
            )
        whole = since is not None and name == "chats"
        if types is not None and not whole and types.isdisjoint(_made_of(name)):
            return []
        anew = at is not None or (since is not None and not whole)
        ctes = ", ".join(["event_log AS (FROM chat_events)", *_standing_in(name, tables=anew)])
        where_its = f"WHERE {_OF_A_CHAT[name]} ORDER BY {_ORDER[name]}"
        return _rows(cursor, name, f"WITH {ctes} SELECT {_SELECTED} FROM {name} {where_its}", [chat_id])

    try:
        yield read
    finally:
        cursor.execute(parsed(cursor, "ROLLBACK"))


_TOUCHED = """
CREATE TEMP TABLE touched AS
WITH new AS (SELECT turn_id, call_id FROM main.event_log WHERE stream = $1 AND version > $2)
SELECT DISTINCT turn_id, call_id FROM main.event_log
WHERE stream = $1 AND (version > $2 OR turn_id IN (SELECT turn_id FROM new) OR call_id IN (SELECT call_id FROM new))
"""
"""The turns and calls that events after a version of a stream belong to, with all calls of those turns."""

_EVENTS_OF_TOUCHED = f"""
CREATE TEMP TABLE chat_events AS
SELECT {_READ} FROM main.event_log
WHERE stream = $1 AND (
  version > $2 OR turn_id IN (SELECT turn_id FROM touched) OR call_id IN (SELECT call_id FROM touched)
  OR position = (SELECT selection_position FROM main.chat_state WHERE chat_id = $3)
)
"""


def _fetch_since(cursor: duckdb.DuckDBPyConnection, chat_id: str, version: int) -> set[str]:
    """Fetch the events after a version, and those of the same turns and calls; return their types."""
    stream = f"chat-{chat_id}"
    cursor.execute(parsed(cursor, _TOUCHED), {"1": stream, "2": version})
    cursor.execute(parsed(cursor, _EVENTS_OF_TOUCHED), {"1": stream, "2": version, "3": chat_id})
    return {name for (name,) in cursor.execute("SELECT DISTINCT type FROM chat_events").fetchall()}


@cache
def _made_of(name: str) -> frozenset[str]:
    """The types of the events that a read model is made of, which its declarations name."""
    return frozenset(re.findall(r"'([A-Z]\w+)'", " ".join(_DECLARED[part] for part in _NEEDED[name])))


_IDS: dict[str, str] = {}
"""By read model: how its UUIDs are asked for as text, a tenth of what making them in Python takes. Learnt as we go."""


def _columns(cursor: duckdb.DuckDBPyConnection, name: str, source: str, parameters: list[Any]) -> str:
    """What to select of a read model; `source` is its text after that, of which the first time no row is read."""
    if name not in _IDS:
        head, tail = source.split(_SELECTED)
        described = cursor.execute(f"{head}*{tail} LIMIT 0", parameters).description or ()
        ids = [column[0] for column in described if str(column[1]) == "UUID"]
        casts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in ids)
        _IDS[name] = f" REPLACE ({casts})" if casts else ""
    return f"*{_IDS[name]}"


def _rows(
    cursor: duckdb.DuckDBPyConnection, name: str, source: str, parameters: list[Any]
) -> list[dict[str, Any]]:
    """The rows of a query of a read model, whose text is parsed once: a fifth of what a small one takes."""
    sql = source.replace(_SELECTED, _columns(cursor, name, source, parameters))
    return rows_of(cursor.execute(parsed(cursor, sql), parameters))


def rows_of(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the rows of an executed query as dicts, with JSON decoded and ids as text."""
    described = [(column[0], str(column[1])) for column in result.description or ()]
    columns = list(zip(*result.fetchall(), strict=True)) or [()] * len(described)
    for place, (_, kind) in enumerate(described):
        if kind == "JSON":
            columns[place] = _decoded(columns[place])
        elif kind == "UUID":
            columns[place] = tuple(None if value is None else str(value) for value in columns[place])
    names = [name for name, _ in described]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _decoded(texts: Sequence[str | None]) -> tuple[Any, ...]:
    """The values of a column of JSON: read as one list, which takes a third of the time of one by one."""
    return tuple(json.loads(f"[{','.join('null' if text is None else text for text in texts)}]"))


_OLDER = "projection_position"
"""A table in which 0.1.0 wrote the position down: a database that has it was last written by that release."""

_DECLARE = f"""
DROP TABLE IF EXISTS {_OLDER};
CREATE OR REPLACE TABLE projection_declared (fingerprint VARCHAR);
CREATE OR REPLACE VIEW projection_state AS
SELECT (SELECT coalesce(max(position), 0) FROM event_log) AS position, fingerprint FROM projection_declared
"""


class Projector:
    """Owns the tables of the read models in the log's database."""

    def __init__(self, tables: Sequence[Table] = TABLES, views: Sequence[View] = VIEWS) -> None:
        self._tables = tables
        self._views = views
        declared = "".join(t.create_sql() + t.rebuild_sql() for t in tables) + "".join(v.sql for v in views)
        self.fingerprint = sha256(declared.encode()).hexdigest()
        """Of the declarations: other ones need a rebuild."""

    def catch_up(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Compute the tables anew where they are absent or follow other declarations; twice changes nothing."""
        if not self._declared(cursor):
            self.rebuild(cursor)

    def restore(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Project `rows`, which came back from the journal, like `apply`, unless `catch_up` is to do it all."""
        if self._declared(cursor):
            self.apply(cursor, rows)

    def rebuild(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop every read model and compute it again from the log, in one transaction."""
        cursor.execute("BEGIN")
        try:
            nothing = cursor.execute("SELECT 1 FROM event_log LIMIT 1").fetchone() is None
            for view in reversed(self._views):
                cursor.execute(f"DROP VIEW IF EXISTS {view.name}")
            for table in self._tables:
                cursor.execute(f"DROP TABLE IF EXISTS {table.name}")
                cursor.execute(table.create_sql())
                if not nothing:
                    cursor.execute(f"INSERT INTO {table.name} {table.rebuild_sql()} ORDER BY 1")
            for view in self._views:
                cursor.execute(f"CREATE VIEW {view.name} AS {view.sql}")
            cursor.execute(_DECLARE)
            cursor.execute("INSERT INTO projection_declared VALUES (?)", [self.fingerprint])
            cursor.execute("COMMIT")
        except BaseException:
            cursor.execute("ROLLBACK")
            raise

    def apply(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Project `rows`, just inserted, inside the transaction that `cursor` is in."""
        if len(rows) > _FEW:
            self._apply_many(cursor, rows)
        else:
            for row in rows:
                self._apply_one(cursor, row)

    def _apply_one(self, cursor: duckdb.DuckDBPyConnection, row: Row) -> None:
        payload: Mapping[str, Any] = json.loads(row.payload)
        for table in self._tables:
            compiled = table.statements(row, payload)
            if compiled is None:
                continue
            update, insert, parameters = compiled
            if cursor.execute(update, parameters).fetchall()[0][0] == 0:
                cursor.execute(insert, parameters)

    def _apply_many(self, cursor: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
        """Compute the rows of every key that `rows` touch, from the whole log for those that were there before."""
        types = {row.type for row in rows}
        for table in self._tables:
            if types.isdisjoint(table.event_types):
                continue
            new = table.rebuild_sql(f"position >= {rows[0].position:d}")
            there = f"{table.key} IN (SELECT {table.key} FROM {table.name})"
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE touched AS {new}")
            known = f"CREATE OR REPLACE TEMP TABLE known AS SELECT {table.key} FROM touched WHERE {there}"
            (count,) = cursor.execute(f"{known}; SELECT count(*) FROM known").fetchall()[0]
            cursor.execute(f"INSERT INTO {table.name} FROM touched WHERE {table.key} NOT IN (FROM known)")
            if count:
                of_known = f"{table.key} IN (FROM known)"
                cursor.execute(f"DELETE FROM {table.name} WHERE {of_known}")
                cursor.execute(f"INSERT INTO {table.name} FROM ({table.rebuild_sql()}) WHERE {of_known}")
        cursor.execute("DROP TABLE IF EXISTS touched; DROP TABLE IF EXISTS known")

    def _declared(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Whether the tables are there and follow our declarations."""
        ours = f"('projection_declared', '{_OLDER}')"
        names = f"SELECT table_name FROM information_schema.tables WHERE table_name IN {ours}"
        if [name for (name,) in cursor.execute(names).fetchall()] != ["projection_declared"]:
            return False
        return cursor.execute("FROM projection_declared").fetchall() == [(self.fingerprint,)]


def write_parquet(cursor: duckdb.DuckDBPyConnection, folder: Path, chat_id: str | None) -> None:
    """Write the events and the read models of one chat, or of all, as Parquet files named for them into `folder`."""
    where, parameters = ("", []) if chat_id is None else (" WHERE stream = ?", [f"chat-{chat_id}"])
    events = f"SELECT * FROM event_log{where} ORDER BY position"
    _copy(cursor, events, parameters, folder / "events.parquet")
    for name in _OF_A_CHAT:
        sql, given = state_sql(name, chat_id=chat_id)
        _copy(cursor, sql, given, folder / f"{name}.parquet")


def _copy(cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any], file: Path) -> None:
    target = str(file).replace("'", "''")
    cursor.execute(f"COPY ({sql}) TO '{target}' (FORMAT parquet)", list(parameters))
