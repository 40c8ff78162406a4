"""Finds the input rows from which a cell of a recorded call was computed, and counts the rows of each table that the
call used.

The rewritten SQL runs in a tool process, over the files and earlier states with which the call ran. Nothing is
recorded, and no SQL runs in the app's process.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.chats.chat_folder import ChatFolder
from engine.chats.open_chats import Chats
from engine.chats.payloads import value_of
from engine.chats.workspaces import Workspaces
from engine.deciders.turn_state import CallState
from engine.errors import NotFound, Unavailable
from engine.replay.provenance.rows_refused import RowsRefused
from engine.system.cancellation import Cancellation
from engine.system.weighted_cache import WeightedCache
from engine.tools.call_execution import CallExecution
from engine.tools.call_plans import Branch, PlannedCall
from engine.tools.sources.offer import source_asked
from engine.workspace.input_rows import MOST_WRITTEN, FoundRows, InputRows, InputTotals, UnreadValues
from engine.workspace.manifest import Files
from events.identity import NewId
from events.json_value import JSON
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from engine.replay.provenance.row_queries import RowQueries

__all__ = ["MOST_LISTED", "CellAsked", "RowsBehind"]

MOST_LISTED = 1_000
"""The maximum number of a table's rows that one request lists."""
_LIBRARY = "anabranch_tool.rows_behind"
_KEPT = 500
_FINDING_SECONDS, _COUNTING_SECONDS = 120.0, 15.0
"""The seconds that a tool process may take to find rows, and to count rows. Counting gets less time: the user does not
request it, so it must not delay the page.
"""


@dataclass(frozen=True, slots=True)
class CellAsked:
    """A cell of a call's result whose input rows are requested."""

    call_id: str
    sql: str
    columns: tuple[str, ...]
    """The result's columns."""
    cells: tuple[JSON, ...]
    """All cells in the row of the requested cell."""
    row: int
    """The number of the row, from 0."""
    column: int


class RowsBehind:
    """Finds the input rows behind cells. Thread-safe."""

    def __init__(
        self, *, chats: Chats, workspaces: Workspaces, execution: CallExecution, new_id: NewId
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._execution = execution
        self._new_id = new_id
        self._totals: WeightedCache[tuple[str, str], tuple[InputTotals, ...] | RowsRefused] = WeightedCache(
            _KEPT, lambda _: 1
        )

    def of_cell(
        self,
        chat_id: str,
        asked: CellAsked,
        limit: int,
        offset: int,
        *,
        csv: bool = False,
        cancel: Cancellation | None = None,
    ) -> FoundRows:
        """Return the rows of each input behind a cell: at most `limit`, from `offset` on. `cancel` stops the search.

        Raises:
            RowsRefused: the SQL cannot be rewritten, or the rows do not reproduce the cell (`rows_refused`).
            NotFound: there is no such call, or a file that it read is no longer stored.
            Unavailable: the tool process failed (`rows_unread`), or the search was stopped (`rows_stopped`).
        """
        arguments: dict[str, JSON] = {
            "row": list(asked.cells),
            "position": asked.row,
            "column": asked.column,
            "limit": limit,
            "offset": offset,
            "csv": "rows" if csv else None,
            "most_csv": MOST_WRITTEN,
        }
        self._require_here(chat_id, asked.call_id)
        queries = _rewritten(asked.sql, asked.column, asked.columns)
        found, files = self._run(chat_id, asked.call_id, "rows_behind", queries, arguments, cancel)
        if "problem" in found and queries.narrowed:
            queries = _rewritten(asked.sql, asked.column, asked.columns, narrow=False)
            found, files = self._run(chat_id, asked.call_id, "rows_behind", queries, arguments, cancel)
        if "problem" in found:
            raise RowsRefused(found["problem"])
        tables = tuple(_rows(told, files) for told in found["tables"])
        return FoundRows(asked.cells[asked.column], tables, _notes(queries, found))

    def totals(self, chat_id: str, call_id: str, sql: str) -> tuple[InputTotals, ...]:
        """Return how the whole result of a call used each table.

        Raises:
            See `of_cell`.
        """
        known = self._totals.get((chat_id, call_id))
        if known is None:
            try:
                known = self._counted(chat_id, call_id, sql)
            except RowsRefused as refused:
                known = refused
            self._totals.put((chat_id, call_id), known)
        if isinstance(known, RowsRefused):
            raise known
        return known

    def forget(self) -> None:
        """Drop the cached counts, so that they are computed again."""
        self._totals.clear()

    def _counted(self, chat_id: str, call_id: str, sql: str) -> tuple[InputTotals, ...]:
        self._require_here(chat_id, call_id)
        found, _ = self._run(chat_id, call_id, "input_totals", _rewritten(sql, None, narrow=False), {})
        if "problem" in found:
            raise RowsRefused(found["problem"])
        return tuple(
            InputTotals(
                told["table"],
                told["path"],
                told["all"],
                told["used"],
                told["empty"],
                {name: (str(a), str(b)) for name, (a, b) in told["dates"].items() if a is not None},
                tuple(UnreadValues(name, **one) for name, one in told["unread"].items()),
            )
            for told in found["tables"]
        )

    def _run(
        self,
        chat_id: str,
        call_id: str,
        function: str,
        queries: "RowQueries",
        more: Mapping[str, JSON],
        cancel: Cancellation | None = None,
    ) -> tuple[Mapping[str, Any], Mapping[str, bytes]]:
        """Call a function of the library with the files that a call had; return its value and the CSV files."""
        with self._chats.locked(chat_id) as state:
            call = state.calls.get(call_id)
            if call is None or call.started is None:
                raise NotFound("call_not_found", f"This chat has no call {call_id} that has run.")
            before: Files = dict(state.files(call.started.pre_manifest_id))
        arguments: dict[str, JSON] = {"queries": queries.to_json(), **more}
        seconds = _COUNTING_SECONDS if function == "input_totals" else _FINDING_SECONDS
        with self._workspaces.scratch(chat_id, f"rows-{self._new_id()}") as folder:
            outcome = self._execution.read_as(
                *self._as_it_was(chat_id, call, folder),
                before,
                f"{_LIBRARY}:{function}",
                arguments,
                seconds,
                cancel,
            )
            if outcome.status == "cancelled":
                raise Unavailable("rows_stopped", "The search for the rows was stopped before it was done.")
            if outcome.value is None:
                why = outcome.error.message if outcome.error else outcome.status
                if outcome.status == "timed_out":
                    why = f"reading them took more than {seconds:.0f} seconds"
                raise Unavailable("rows_unread", f"The rows could not be read: {why}")
            place = folder.workspace.folder
            files = (
                {file.name: file.read_bytes() for file in place.glob("rows-*.csv")} if more.get("csv") else {}
            )
        return outcome.value, files

    def _require_here(self, chat_id: str, call_id: str) -> None:
        """Raise RowsRefused if a call read a source. This is checked before the SQL is parsed, because a source may
        have another SQL dialect."""
        with self._chats.locked(chat_id) as state:
            call = state.calls.get(call_id)
        if call is not None:
            arguments = value_of(call.requested.arguments, self._workspaces.blobs(chat_id))
            source = source_asked(call.requested.tool_id, arguments)
            if source is not None:
                raise RowsRefused(f"they are at the source {source}, and only its answer is recorded")

    def _as_it_was(
        self, chat_id: str, call: CallState, folder: ChatFolder
    ) -> tuple[Branch, PlannedCall, ChatFolder]:
        assert call.started is not None
        requested, started = call.requested, call.started
        branch = Branch(chat_id, requested.call_id, requested.message_id, started.pre_manifest_id, folder)
        arguments = value_of(requested.arguments, self._workspaces.blobs(chat_id))
        planned = PlannedCall(requested.call_id, requested.tool_id, None, arguments, moments=started.moments)
        return branch, planned, folder


def _rewritten(
    sql: str, column: int | None, names: Sequence[str] = (), *, narrow: bool = True
) -> "RowQueries":
    from engine.replay.provenance.row_queries import row_queries  # noqa: PLC0415 -- the parser loads when asked

    return row_queries(sql, column, names, narrow=narrow)


def _rows(told: Mapping[str, Any], files: Mapping[str, bytes]) -> InputRows:
    return InputRows(
        told["table"],
        told["path"],
        told["sheet"],
        tuple(told["columns"]),
        tuple(map(tuple, told["rows"])),
        told["used"],
        told["all"],
        files.get(told.get("file") or ""),
    )


def _notes(queries: "RowQueries", found: Mapping[str, Any]) -> tuple[str, ...]:
    notes: list[str] = []
    if found["alike"] > 1:
        notes.append(
            f"{found['alike']:,} rows of the result have the same values; these are the rows behind one of them."
        )
    if queries.only_filtered:
        notes.append(
            f"The rows of {_and(queries.only_filtered)} are not listed, because the SQL uses them only in a filter."
        )
    return tuple(notes)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
