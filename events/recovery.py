"""When a log is opened, compares the database with the acknowledged events in the journal and with the mark stored
outside the data folder (see `events/anchor.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import duckdb

from events.anchor import Known, Mark
from events.chain import holds
from events.journal import JournalContent, read_journal
from events.late_dataclass import dataclass
from events.log_reads import head_of
from events.schema import insert_rows
from events.second_copy import KeptJournal
from events.stored_row import GENESIS, Row

__all__ = ["ACCEPT", "Recovery", "against_outside", "recover"]

ACCEPT = (
    "Restore the newest copy of the data folder, or run `anabranch log accept` to continue from this state. The "
    "decision is recorded; lost events stay lost."
)
"""Advice for a log that was replaced or that lost events."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The findings at open."""

    restored: int = 0
    """The number of events that the database had lost and that were restored from the journal."""
    problem: str | None = None
    """A loss or replacement that cannot be repaired, described for the user; it makes the log read-only."""
    first_lost: int | None = None
    """The first position that is lost or replaced."""
    acknowledged: int = 0
    """The last position that is known to have been reported as recorded."""
    notices: tuple[str, ...] = ()
    """Harmless findings, described for the user."""

    def joined(self, other: "Recovery | None", held: str | None) -> "Recovery":
        """Return these findings together with the findings about the mark (`other`), and with `held`, the caller's
        reason not to write.
        """
        found = self
        if other is not None:
            notices = (*self.notices, *other.notices)
            found = replace(other if self.problem is None else self, restored=self.restored, notices=notices)
        return replace(found, problem=held) if found.problem is None else found


Project: TypeAlias = Callable[[duckdb.DuckDBPyConnection, Sequence[Row]], None]
"""Updates the read models for rows, in the transaction that inserts the rows into the log."""


def recover(
    connection: duckdb.DuckDBPyConnection,
    journal_path: Path,
    kept: KeptJournal,
    project: Project,
    mark: Mark | None = None,
) -> Recovery:
    """Restore a lost tail from the second copy and the journal, and report what cannot be restored.

    The last checkpoint was at the end of the copy or at the mark, whichever is later.
    """
    last = kept.last()
    rested = max(last.position if last else 0, mark.position if mark else 0)
    from_copy = _from_copy(connection, kept, project)
    content, head = read_journal(journal_path), head_of(connection)[0]
    if content is None or (content.start is None and not content.rows and not content.loose):
        return _without_journal(head, rested, from_copy)
    found = _disagreement(connection, content, head) or _restored(connection, content, head, project)
    notice = _notice(content)
    return replace(found, restored=found.restored + from_copy, notices=(notice,) if notice else ())


def _without_journal(head: int, rested: int, restored: int) -> Recovery:
    """Return the findings if there is no journal.

    Events after the last checkpoint prove that the write-ahead log was read; if there are none, events may be lost.
    """
    if head == 0:
        return Recovery(restored)
    if head > rested:
        notice = (
            f"The journal is missing or cannot be read. The database contains {head} events. If more were "
            "recorded just before the last exit, they are lost."
        )
        return Recovery(restored, acknowledged=head, notices=(notice,))
    problem = (
        f"The journal is missing or cannot be read, and the database ends at event {head}. Everything recorded "
        f"after the last turn is lost. {ACCEPT}"
    )
    return Recovery(restored, problem, head + 1, head)


def _from_copy(connection: duckdb.DuckDBPyConnection, kept: KeptJournal, project: Project) -> int:
    """Restore the events of the second copy after the database's end; return how many there are."""
    head, head_hash = head_of(connection)
    last = kept.last()
    if last is None or last.position <= head or head == 0:
        return 0
    return _add(connection, _continuing(kept.read().rows, head, head_hash), project)


def _add(connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], project: Project) -> int:
    if not rows:
        return 0
    connection.execute("BEGIN")
    try:
        insert_rows(connection, rows)
        project(connection, rows)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):  # a failed commit has already ended the transaction
            connection.execute("ROLLBACK")
        raise
    return len(rows)


def _restored(
    connection: duckdb.DuckDBPyConnection, content: JournalContent, head: int, project: Project
) -> Recovery:
    rows = (*content.rows, *content.loose)
    lost = _add(connection, _continuing(rows, head, _hash_at(connection, head) or GENESIS), project)
    known = [row.position for row in content.rows] + [content.start[0] if content.start else 0]
    last_known = max([*known, 0 if content.torn else content.mentioned])
    reached = head + lost
    if last_known > reached:
        return Recovery(lost, _sentence(reached, last_known), reached + 1, last_known)
    return Recovery(lost, acknowledged=reached)


def _disagreement(
    connection: duckdb.DuckDBPyConnection, content: JournalContent, head: int
) -> Recovery | None:
    """Return the problem if the database ends before the journal began, or has other events than the journal."""
    start, start_hash = content.start or (0, GENESIS)
    if head < start:
        return Recovery(0, _sentence(head, start), head + 1, start)
    known = [(start, start_hash), *((row.position, row.hash) for row in content.rows if row.position <= head)]
    found = dict(
        connection.execute(
            "SELECT position, lower(hex(hash)) FROM event_log WHERE position >= ?", [start]
        ).fetchall()
    )
    for position, expected in known:
        if position > 0 and found.get(position) != expected:
            problem = (
                f"Event {position} in the database differs from the one in the journal: the two files belong to "
                f"different logs. {ACCEPT}"
            )
            return Recovery(0, problem, position, head)
    return None


def _continuing(found: Sequence[Row], head: int, head_hash: str) -> list[Row]:
    """Return the rows that follow `head` without a gap and with an unbroken chain."""
    rows: list[Row] = []
    for row in sorted(found, key=lambda row: row.position):
        follows = row.position == head + len(rows) + 1
        if follows and holds(rows[-1].hash if rows else head_hash, row):
            rows.append(row)
    return rows


def _notice(content: JournalContent) -> str | None:
    if not content.damaged_bytes:
        return None
    size = f"{content.damaged_bytes:,} bytes of the journal could not be read"
    if content.torn:
        return f"{size}: a last write that was cut off before it was acknowledged, or damage."
    return f"{size}. The database was searched for their events."


def _hash_at(connection: duckdb.DuckDBPyConnection, position: int) -> str | None:
    """Return the hash of the event at `position`, or None if there is no such event."""
    found = connection.execute(
        "SELECT lower(hex(hash)) FROM event_log WHERE position = ?", [position]
    ).fetchall()
    return found[0][0] if found else None


def against_outside(
    connection: duckdb.DuckDBPyConnection, home: Path, known: Known, kept: Row | None, *, begins: bool
) -> Recovery | None:
    """Compare a log with its mark, with the last event of its second copy, and with the chats in the folder. With
    `begins`, an empty log is accepted as the start of a new one.
    """
    head = head_of(connection)[0]
    if head == 0 and (any(home.glob("chats/*/blobs")) or (known.other is not None and _has_more(home))):
        return Recovery(
            problem=_NO_EVENTS, first_lost=1, acknowledged=known.other.position if known.other else 0
        )
    if kept is not None and head and _hash_at(connection, kept.position) != kept.hash:
        return Recovery(
            0, _NOT_THE_COPY.format(kept.position, head), min(head + 1, kept.position), kept.position
        )
    if head == 0 and known.other is not None:
        return Recovery(notices=(_BEGUN_ANEW.format(known.other.position),)) if begins else None
    if known.mine is not None:
        return _against_mark(known.mine, head, _hash_at(connection, known.mine.position))
    if known.other is not None and known.elsewhere is None:
        problem = (
            f"Another log was in this folder, and reached event {known.other.position}{_when(known.other)}."
        )
        return Recovery(0, f"{problem} {ACCEPT}", 1, known.other.position)
    return Recovery(notices=tuple(_remarks(connection, head, known)))


def _has_more(home: Path) -> bool:
    return any(any(home.glob(f"{name}/*")) for name in ("chats", "toolsets", "toolset-copies"))


def _remarks(connection: duckdb.DuckDBPyConnection, head: int, known: Known) -> Iterator[str]:
    """Yield findings that are reported but do not make the log read-only."""
    if known.problem is not None and head:
        yield (
            f"The mark that detects an older copy of this log cannot be used: {known.problem}. It is replaced after "
            "the next turn."
        )
    moved = known.elsewhere
    if moved is not None and (head < moved.position or _hash_at(connection, moved.position) != moved.hash):
        yield (
            f"A copy of this log had reached event {moved.position}{_when(moved)} in a folder that no longer exists. "
            f"This one ends at event {head}, so it may lack the later events."
        )


_BEGUN_ANEW = "The log that was in this folder, with {} events, is missing. A new log was started."
_NOT_THE_COPY = (
    "The second copy of the log reaches event {}, and the database, which ends at event {}, does not "
    "contain that event: the database is an older copy or belongs to another log. `anabranch log "
    "salvage FOLDER` recovers the log into a new folder. Or: " + ACCEPT
)
_NO_EVENTS = (
    "This folder contains chats, but the log has no events: the database was removed or replaced. Restore it, recover "
    "the log with `anabranch log salvage`, or run `anabranch log accept` to start a new one."
)


def _when(mark: Mark) -> str:
    return f" on {mark.written_at[:10]} at {mark.written_at[11:16]} UTC" if mark.written_at else ""


def _against_mark(mark: Mark, head: int, found: str | None) -> Recovery | None:
    reached = f"This log had reached event {mark.position}{_when(mark)}"
    if head < mark.position:
        lost = f"it ends at event {head} now: it is an older copy, or events are lost"
        return Recovery(0, f"{reached}, and {lost}. {ACCEPT}", head + 1, mark.position)
    if found != mark.hash:
        problem = f"{reached}, and event {mark.position} is different now: history was rewritten. {ACCEPT}"
        return Recovery(0, problem, mark.position, mark.position)
    return None


def _sentence(found: int, acknowledged: int) -> str:
    return (
        f"The database ends at event {found}, but {acknowledged} were acknowledged: events {found + 1} to "
        f"{acknowledged} are lost and cannot be restored from the journal. {ACCEPT}"
    )
