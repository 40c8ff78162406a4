"""Runs after each checkpoint of the log: extends the second copy of its events, and updates the log's mark."""

import logging
from collections.abc import Callable
from typing import TypeAlias

import duckdb

from events.anchor import Anchor, Known, Mark
from events.log_reads import first_hash, hashes_after, rows_after
from events.merkle import Frontier
from events.second_copy import KeptJournal

__all__ = ["AtRest", "Keeps"]

_log = logging.getLogger("anabranch.log")
_AT_ONCE = 20_000
"""How many rows are copied after one checkpoint. A log without a copy gets it over several checkpoints."""
_PIECE = 2_000

Keeps: TypeAlias = Callable[[duckdb.DuckDBPyConnection], bool]
"""Returns whether the log that the given cursor reads should have a second copy of its events."""


class AtRest:
    """Maintains the second copy and the mark. If this fails, the log continues, and the next checkpoint tries again."""

    def __init__(self, kept: KeptJournal, anchor: Anchor | None, keeps: Keeps) -> None:
        self.kept = kept
        """The second copy."""
        self._anchor, self._keeps = anchor, keeps
        self._mark: Mark | None = None
        self._anew = False
        self.problem: str | None = None
        """A sentence about a write that failed after the last checkpoint; None if none failed."""

    def came_to_rest(self, cursor: duckdb.DuckDBPyConnection, head: tuple[int, str]) -> None:
        """Extend the copies up to `head`, the log's last position and hash, which are durable in the database."""
        self.problem = None
        try:
            if self._keeps(cursor):
                self._copy(self.kept, cursor)
            else:
                self.kept.forget()
        except Exception as error:
            self._tell("The second copy of the log could not be written", error)
        try:
            self._move_mark(cursor, head)
        except Exception as error:
            self._tell(
                "The mark of the log could not be written, so an older copy of the log would not be detected",
                error,
            )

    def _tell(self, what: str, error: Exception) -> None:
        self.problem = f"{what}: {getattr(error, 'strerror', None) or error}."
        _log.warning(self.problem, exc_info=True)

    def start_anew(self) -> None:
        """Set aside the second copy, because another log replaced this one; the next checkpoint writes a new mark."""
        self._anew = True
        self.kept.set_aside()

    def mend_copy(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Read the whole copy, and rewrite it if a part is unreadable. Return whether it was rewritten.

        The previous copy stays until the new one is complete.
        """
        if not self._keeps(cursor) or self.kept.is_whole():
            return False
        fresh = self.kept.beside()
        while self._copy(fresh, cursor):
            pass
        self.kept.become(fresh)
        return True

    def _copy(self, kept: KeptJournal, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Add the next events to a copy, at most `_AT_ONCE`. Return whether there may be more."""
        for _ in range(_AT_ONCE // _PIECE):
            last = kept.last()
            rows = rows_after(cursor, last.position if last else 0, _PIECE)
            if not rows:
                return False
            kept.extend(rows)
        return True

    def write_mark_again(self, known: Known) -> None:
        """Write the mark of this location again, to check that writing works.

        Raises:
            OSError: the mark cannot be written.
        """
        mark = known.mine or known.other
        if self._anchor is not None and mark is not None:
            self._anchor.write(mark)

    def _move_mark(self, cursor: duckdb.DuckDBPyConnection, head: tuple[int, str]) -> None:
        log_id = first_hash(cursor)
        if log_id is None or self._anchor is None:
            return
        before = self._mark or self._anchor.read(log_id).mine
        if (
            not self._anew
            and before is not None
            and (before.log_id, before.position, before.hash) == (log_id, *head)
        ):
            self._mark = before
            return
        grows = (
            not self._anew and before is not None and before.log_id == log_id and before.position <= head[0]
        )
        frontier = before.frontier if before is not None and grows else Frontier()
        frontier = frontier.extended(hashes_after(cursor, frontier.size))
        mark = Mark(log_id, head[0], head[1], frontier)
        self._anchor.write(mark)
        self._mark, self._anew = mark, False
