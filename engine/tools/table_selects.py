"""Runs SELECTs over a chat's tables in a tool process, for views and previews. Nothing is recorded."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.deciders import chat as decide
from engine.errors import Refused
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.tables import Tables
from engine.workspace.manifest import Files
from engine.workspace.table_facts import TableProfile
from events.identity import NewId
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Joinable", "Selected", "TableSelects"]

_ENTRYPOINT = "anabranch_tool.selects:run"
_JOINS = "anabranch_tool.joins:run"
_SECONDS = 60.0
_MOST_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Selected:
    """The result of one SELECT."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    """The DuckDB type of each column."""
    rows: tuple[tuple[JSON, ...], ...]
    """The first rows."""
    total: int
    """The total number of rows."""

    def as_dicts(self) -> list[dict[str, JSON]]:
        """Return each row as a dict keyed by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Joinable:
    """Two tables whose columns match."""

    left: str
    left_column: str
    right: str
    right_column: str
    share: float
    """The share of the left column's different values that are also in the right column, from 0 to 1."""
    each_once: bool
    """Whether each row of the left table matches at most one row of the right table."""


class TableSelects:
    """Runs SELECTs over the chat's current files. Thread-safe."""

    def __init__(
        self, chats: Chats, workspaces: Workspaces, pool: Pool, tables: Tables, new_id: NewId
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._pool = pool
        self._tables = tables
        self._new_id = new_id

    def tables(self, chat_id: str) -> tuple[TableProfile, ...]:
        """Return the tables of the chat's files.

        Raises:
            NotFound: there is no such chat.
        """
        files = self._files(chat_id)
        known = self._tables.known(files)
        if known is not None:
            return known
        with self._workspaces.scratch(chat_id, f"tables-{self._new_id()}") as folder:
            folder.workspace.materialize(self._tables.read_of(files))
            return self._tables.of(files, folder.workspace.folder)

    def run(
        self, chat_id: str, statements: Sequence[str], limit: int = _MOST_ROWS, seconds: float = _SECONDS
    ) -> tuple[Selected, ...]:
        """Return the first `limit` rows of each statement.

        Raises:
            NotFound: there is no such chat.
            Refused: a statement cannot run, or all statements together take longer than `seconds` (`select_failed`).
        """
        asked: dict[str, JSON] = {"statements": [*statements], "limit": limit}
        found = self._called(chat_id, _ENTRYPOINT, asked, seconds)
        return tuple(
            Selected(tuple(one["columns"]), tuple(one["types"]), tuple(map(tuple, one["rows"])), one["total"])
            for one in found["results"]
        )

    def joins(self, chat_id: str, seconds: float = _SECONDS) -> tuple[Joinable, ...]:
        """Return the matching columns of tables, the best match first.

        Raises:
            NotFound: there is no such chat.
            Refused: the tables cannot be read, or this takes longer than `seconds` (`select_failed`).
        """
        if len(self.tables(chat_id)) < 2:
            return ()
        return tuple(Joinable(**one) for one in self._called(chat_id, _JOINS, {}, seconds)["joins"])

    def _called(
        self, chat_id: str, entrypoint: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        """Call a function of the library `anabranch_tool` with the chat's tables."""
        files = self._tables.read_of(self._files(chat_id))
        cancel = Cancellation()
        with self._workspaces.scratch(chat_id, f"select-{self._new_id()}") as folder:
            folder.workspace.materialize(files)
            at = folder.workspace.folder
            listed = self._tables.catalog(files, at, cancel)
            outcome = self._pool.run(
                RunRequest(
                    call_id="select",
                    bundle=None,
                    entrypoint=entrypoint,
                    workspace=at,
                    arguments=arguments,
                    limits=Limits(result_bytes=64 << 20, seconds=seconds),
                    context={"tables": list(listed.tables), "unread_tables": dict(listed.unread)},
                    readable=listed.readable,
                ),
                cancel=cancel,
            )
        if outcome.value is None:
            reason = outcome.error.message if outcome.error else outcome.status
            raise Refused(
                "select_failed", f"The tables could not be read: {reason.removeprefix('ValueError: ')}"
            )
        return outcome.value

    def _files(self, chat_id: str) -> Files:
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            return state.files(state.manifest)
