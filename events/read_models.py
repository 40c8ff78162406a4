"""Reads the read models, now or as of any position, for one chat or for all.

A past state is computed from the log only, with the declarations that also define the tables.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from events.packed_events import packed_events
from events.projections.decoded_event import DecodedEvent
from events.projections.registry import TABLES, VIEWS
from events.projections.steps import CURRENT_EVENTS, LOG_COLUMNS
from events.projections.views import ChatEvents, EventsView, StateView
from events.schema import parsed
from events.stored_row import ID_COLUMNS

__all__ = ["PUBLIC", "chat_reads", "read_model", "rows_of", "state_sql", "write_parquet"]

PUBLIC = tuple(view.name for view in VIEWS if view is not CURRENT_EVENTS)
"""The read models that can be requested, by name."""


def state_sql(name: str, *, at: int | None = None, chat_id: str | None = None) -> tuple[str, list[Any]]:
    """Return the SQL of one read model and its parameters.

    With `at`, the rows are as of that position, computed only from the log by the same declarations. With `chat_id`,
    only that chat's events, and events outside chats, are read, and only the chat's rows are returned.

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
"""A placeholder for the columns that are selected from a read model; by default all."""


_READ = ", ".join(LOG_COLUMNS)
"""The columns of the log that the declarations use."""

_ORDER = {view.name: view.order for view in VIEWS}

_DECLARED = {t.name: t.rebuild_sql() for t in TABLES} | {v.name: v.sql for v in VIEWS}


def _standing_on(name: str) -> tuple[str, ...]:
    """Return the declarations that `name` depends on, each after its own dependencies, and `name` last."""
    words = set(re.findall(r"\w+", _DECLARED[name]))
    below = [part for other in _DECLARED if other != name and other in words for part in _standing_on(other)]
    return (*dict.fromkeys(below), name)


_NEEDED = {view.name: _standing_on(view.name) for view in VIEWS}


def _standing_in(name: str, *, tables: bool = True) -> list[str]:
    """Return, as CTEs over the relation `event_log`, the declarations that `name` depends on. If `tables` is false,
    return only the views.
    """
    return [f"{part} AS ({_DECLARED[part]})" for part in _NEEDED[name] if tables or part in _ORDER]


_OF_A_CHAT = dict.fromkeys(
    (
        "chats",
        "messages",
        "turns",
        "steps",
        "compactions",
        "tool_calls",
        "replays",
        "reruns",
        "rerun_starts",
        "vouched_numbers",
        "number_reviews",
        "table_views",
        "results_put_aside",
        "workspace_manifests",
        "definitions",
        "definition_versions",
        "step_definitions",
        "data_parts",
        "moments",
        "standing_questions",
        "standing_checks",
    ),
    "chat_id = ?",
) | {"manifest_files": "manifest_id IN (SELECT id FROM workspace_manifests WHERE chat_id = ?)"}
"""Read model whose rows belong to chats → the SQL condition for the rows of a given chat."""


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
    """Fetch a chat's events once, and yield a `read_model` over them, to read several models as of the same position.

    With `since` (a version of the chat's stream), return the rows that later events may have changed, the chat's own
    row, and possibly other rows of the same turns.
    """
    cursor.execute(parsed(cursor, "BEGIN"))
    events = ChatEvents(_events_of(cursor, chat_id, at, since))

    def read(name: str, **where: Any) -> list[dict[str, Any]]:
        if name not in _OF_A_CHAT or where != {"at": at, "chat_id": chat_id}:
            raise ValueError(
                f"Only the events of chat {chat_id} as of {at} were fetched, so {name} of {where} cannot be read."
            )
        view = _DECLARED_VIEWS.get(name)
        if view is None or (since is not None and name == "chats"):
            return read_model(cursor, name, at=at, chat_id=chat_id)
        return [row for row in view.rows(events) if row["chat_id"] == chat_id]

    try:
        yield read
    finally:
        cursor.execute(parsed(cursor, "ROLLBACK"))


_DECLARED_VIEWS = {view.name: view for view in VIEWS if isinstance(view, EventsView | StateView)}

_EVENTS = f"""
SELECT position, stream, type, schema_version, occurred_at,
       {", ".join(f"CAST({name} AS VARCHAR)" for name in ID_COLUMNS)}, payload
FROM main.event_log WHERE stream = $1
"""
_SINCE = f"""
WITH new AS (
  SELECT turn_id, call_id FROM main.event_log WHERE stream = $1 AND version > $2
), touched AS MATERIALIZED (
  SELECT DISTINCT turn_id, call_id FROM main.event_log
  WHERE stream = $1 AND (version > $2 OR turn_id IN (SELECT turn_id FROM new) OR call_id IN (SELECT call_id FROM new))
), of_turns AS (
  SELECT call_id FROM main.event_log WHERE stream = $1 AND turn_id IN (SELECT turn_id FROM touched)
)
{_EVENTS} AND (
  version > $2 OR turn_id IN (SELECT turn_id FROM touched)
  OR call_id IN (SELECT call_id FROM touched UNION ALL SELECT call_id FROM of_turns)
) ORDER BY position
"""
"""The events after a version, all events of the turns and calls that these belong to, and all calls of those turns."""


def _events_of(
    cursor: duckdb.DuckDBPyConnection, chat_id: str, at: int | None, since: int | None
) -> list[DecodedEvent]:
    """Fetch a chat's events from its packs, and the events that are not in a pack from the log."""
    stream = f"chat-{chat_id}"
    if since is not None:
        return _events(cursor.execute(parsed(cursor, _SINCE), {"1": stream, "2": since}))
    packed, version = packed_events(cursor, stream, at)
    later = f"{_EVENTS} AND version > $2"
    if at is None:
        result = cursor.execute(parsed(cursor, f"{later} ORDER BY position"), {"1": stream, "2": version})
    else:
        until = f"{later} AND position <= $3 ORDER BY position"
        result = cursor.execute(parsed(cursor, until), {"1": stream, "2": version, "3": at})
    return packed + _events(result)


def _events(result: duckdb.DuckDBPyConnection) -> list[DecodedEvent]:
    return [
        DecodedEvent(row[0], row[1], row[2], row[3], row[4], row[5:-1], row[-1]) for row in result.fetchall()
    ]


_IDS: dict[str, str] = {}
"""Read model → its columns, with UUIDs cast to text in SQL, which takes a tenth of the time that Python needs. Filled
on first use.
"""


def _columns(cursor: duckdb.DuckDBPyConnection, name: str, source: str, parameters: list[Any]) -> str:
    """Return the columns to select in `source`, a query of a read model. At the first call for a read model, the query
    runs without reading a row.
    """
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
    """Return the rows of a query of a read model. Its text is parsed only once, because parsing takes a fifth of the
    time of a small query.
    """
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
    """Return the decoded values of a JSON column. They are parsed as one list, which takes a third of the time."""
    return tuple(json.loads(f"[{','.join('null' if text is None else text for text in texts)}]"))


def write_parquet(cursor: duckdb.DuckDBPyConnection, folder: Path, chat_id: str | None) -> None:
    """Write the events and the read models of one chat, or of all, as Parquet files into `folder`."""
    where, parameters = ("", []) if chat_id is None else (" WHERE stream = ?", [f"chat-{chat_id}"])
    columns = "* EXCLUDE (format, salt, payload_hash)"  # needed only for the hash chain
    events = f"SELECT {columns} FROM event_log{where} ORDER BY position"
    _copy(cursor, events, parameters, folder / "events.parquet")
    for name in _OF_A_CHAT:
        sql, given = state_sql(name, chat_id=chat_id)
        _copy(cursor, sql, given, folder / f"{name}.parquet")


def _copy(cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any], file: Path) -> None:
    target = str(file).replace("'", "''")
    cursor.execute(f"COPY ({sql}) TO '{target}' (FORMAT parquet)", list(parameters))
