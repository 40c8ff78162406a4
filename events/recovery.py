"""At open: what the database holds against what the journal says was acknowledged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import duckdb

from events.codec import GENESIS, Row, chain_hash
from events.journal import JournalContent, read_journal
from events.schema import insert_rows

__all__ = ["Recovery", "recover"]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was found at open."""

    restored: int = 0
    """Events that the database had lost and the journal gave back."""
    problem: str | None = None
    """What was lost and cannot be restored, in words; the log is then for reading only."""
    first_lost: int | None = None
    """The first position that is lost."""


Project: TypeAlias = Callable[[duckdb.DuckDBPyConnection, Sequence[Row]], None]
"""Changes the read models by rows, in the transaction that puts them into the log."""


def recover(connection: duckdb.DuckDBPyConnection, journal_path: Path, project: Project) -> Recovery:
    """Compare, restore a lost tail, and tell what cannot be restored."""
    content = read_journal(journal_path)
    if content is None:
        return Recovery()
    head = connection.execute("SELECT coalesce(max(position), 0) FROM event_log").fetchall()[0][0]
    problem = _disagreement(connection, content, head)
    if problem is not None:
        return problem
    lost = _continuing(content, head, _hash_at(connection, head) or GENESIS)
    if lost:
        connection.execute("BEGIN")
        insert_rows(connection, lost)
        project(connection, lost)
        connection.execute("COMMIT")
    last_known = max((row.position for row in content.rows), default=content.start_position)
    reached = head + len(lost)
    if last_known > reached:
        return Recovery(len(lost), _sentence(reached, last_known), reached + 1)
    return Recovery(len(lost))


def _disagreement(
    connection: duckdb.DuckDBPyConnection, content: JournalContent, head: int
) -> Recovery | None:
    """The database ends before the journal began, or holds other events than the journal's."""
    if head < content.start_position:
        return Recovery(0, _sentence(head, content.start_position), head + 1)
    known = [(content.start_position, content.start_hash)]
    known += [(row.position, row.hash) for row in content.rows if row.position <= head]
    found = dict(
        connection.execute(
            "SELECT position, lower(hex(hash)) FROM event_log WHERE position >= ?", [content.start_position]
        ).fetchall()
    )
    for position, expected in known:
        if position > 0 and found.get(position) != expected:
            problem = (
                f"Event {position} of the database is not the one that the journal acknowledged: the two files are "
                "not of the same log. Put back the pair that belongs together, or export what is here and begin anew."
            )
            return Recovery(0, problem, position)
    return None


def _continuing(content: JournalContent, head: int, head_hash: str) -> list[Row]:
    """The journal's rows that follow `head` without a gap and with an unbroken chain."""
    rows: list[Row] = []
    for row in sorted(content.rows, key=lambda row: row.position):
        if row.position != head + len(rows) + 1:
            continue
        if chain_hash(rows[-1].hash if rows else head_hash, row) != row.hash:
            break
        rows.append(row)
    return rows


def _hash_at(connection: duckdb.DuckDBPyConnection, position: int) -> str | None:
    found = connection.execute(
        "SELECT lower(hex(hash)) FROM event_log WHERE position = ?", [position]
    ).fetchall()
    return found[0][0] if found else None


def _sentence(found: int, acknowledged: int) -> str:
    return (
        f"The database ends at event {found}, but {acknowledged} were acknowledged: events {found + 1} to "
        f"{acknowledged} are lost and cannot be restored from the journal. Put back a copy of the data folder that "
        "holds them, or export what is here and begin anew."
    )
