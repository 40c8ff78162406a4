"""What is done when a log has come to rest: the second copy of its events grows, and the mark outside moves on."""

import logging
from collections.abc import Callable

import duckdb

from events.anchor import Anchor, Mark
from events.kept import KeptJournal
from events.log_reads import first_hash, hashes_after, rows_after
from events.merkle import Frontier

__all__ = ["Keeper"]

_log = logging.getLogger("anabranch.log")
_AT_ONCE = 20_000
"""Rows that are copied at one rest: an older log gets its copy over several."""
_PIECE = 2_000


class Keeper:
    """Keeps what stands beside the database. Where that fails, the log goes on and it is done at the next rest."""

    def __init__(self, kept: KeptJournal, anchor: Anchor | None, keeps: Callable[[], bool]) -> None:
        self.kept = kept
        """The second copy."""
        self._anchor, self._keeps = anchor, keeps
        self._mark: Mark | None = None
        self._anew = False

    def came_to_rest(self, cursor: duckdb.DuckDBPyConnection, head: tuple[int, str]) -> None:
        """Follow the log to `head`, its last position and hash, which the database holds durably."""
        try:
            if self._keeps():
                self._copy(cursor)
            else:
                self.kept.forget()
            if self._anchor is not None and head[0]:
                self._move_mark(self._anchor, cursor, head)
        except (OSError, duckdb.Error):
            _log.warning("The copy of the log or its mark could not be written.", exc_info=True)

    def start_anew(self) -> None:
        """Forget what was kept of a log that is another from now on."""
        self._anew = True
        self.kept.set_aside()

    def mend_copy(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Read the whole copy, and write it anew where a part of it cannot be read; returns whether that was so."""
        if not self._keeps() or self.kept.is_whole():
            return False
        self.kept.forget()
        while (last := self.kept.last()) is None or rows_after(cursor, last.position, 1):
            before = last
            self._copy(cursor)
            if self.kept.last() == before:
                break
        return True

    def _copy(self, cursor: duckdb.DuckDBPyConnection) -> None:
        for _ in range(_AT_ONCE // _PIECE):
            last = self.kept.last()
            rows = rows_after(cursor, last.position if last else 0, _PIECE)
            if not rows:
                return
            self.kept.extend(rows)

    def _move_mark(self, anchor: Anchor, cursor: duckdb.DuckDBPyConnection, head: tuple[int, str]) -> None:
        log_id = first_hash(cursor)
        if log_id is None:
            return
        before = self._mark or anchor.read(log_id)
        if before is not None and (before.log_id, before.position, before.hash) == (log_id, *head):
            self._mark = before
            return
        grows = (
            not self._anew and before is not None and before.log_id == log_id and before.position <= head[0]
        )
        frontier = before.frontier if before is not None and grows else Frontier()
        frontier = frontier.extended(hashes_after(cursor, frontier.size))
        self._mark = Mark(log_id, head[0], head[1], frontier)
        anchor.write(self._mark)
        self._anew = False
