"""Recovers a log from its readable parts: the second copy, the journals, and the blocks of the database.

The damaged folder is not changed. Recovered events go into a new folder: unchanged, with their hashes, if no event is
missing; otherwise numbered again, each stream up to its first missing event.
"""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import duckdb

from events.chain import holds
from events.journal import begin_journal, read_journal
from events.late_dataclass import dataclass
from events.log import LogError
from events.log_files import DATABASE, JOURNAL, KEPT
from events.open_database import first_line, open_database
from events.schema import SELECT_ROWS, insert_rows, to_row
from events.second_copy import KeptJournal
from events.stored_row import GENESIS, Row
from events.transfer import settle

__all__ = ["Salvaged", "salvage"]

_FAR = 1 << 22
"""A database is searched up to this position if its end is not known."""
_PIECE = 64
"""The smallest number of rows that are tried together, so an unreadable block costs about a hundred events."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The events that were recovered and the events that are missing."""

    events: int
    whole: bool
    """Whether the log is complete; if not, its events are numbered again."""
    missing: tuple[tuple[int, int], ...]
    """First and last position of each range of events that existed but are gone."""
    left_out: int
    """The number of readable events that are left out because an earlier event of their stream is gone."""
    sources: dict[str, int]
    """Place → the number of rows that were read from it."""
    unreadable: tuple[str, ...] = ()
    """Files that could not be read, each with the reason."""


def salvage(home: Path, target: Path, acknowledged: int = 0) -> Salvaged:
    """Make a log in the empty folder `target` from everything readable in `home`.

    `acknowledged` is the last position that is known from elsewhere. Events that `accept` set aside belong to an
    abandoned history: they are used only to fill gaps before the end of the current history.

    Raises:
        LogError: nothing can be read at all, or `target` cannot be written.
    """
    found: defaultdict[int, dict[str, Row]] = defaultdict(dict)
    sources: dict[str, int] = {}
    unreadable: list[str] = []
    reached = acknowledged
    for source in (*_present(home, unreadable), *_set_aside(home, unreadable)):
        aside = source.name.startswith((f"{KEPT}.", f"{Path(JOURNAL).stem}.set-aside"))
        end = max(found, default=0)
        rows = [row for row in source.rows if not (aside and end) or row.position < end]
        sources[source.name] = len(rows)
        reached = reached if aside and end else max(reached, source.last)
        for row in rows:
            found[row.position].setdefault(row.hash, row)
    if not found:
        raise LogError(f"No event could be read in {home}, neither in the database nor in the journals.")
    chain = _chain(found)
    reached = max([reached, *found])
    if len(chain) == reached:
        _write(target, chain)
        return Salvaged(len(chain), True, (), 0, sources, tuple(unreadable))
    beyond = _beyond(found, len(chain))
    taken, left = _by_stream([*chain, *beyond])
    settle(target, taken)
    missing = _gaps({row.position for row in (*chain, *beyond)}, reached)
    return Salvaged(len(taken), False, tuple(missing), left, sources, tuple(unreadable))


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    rows: Sequence[Row]
    last: int
    """The last position that this source contains or names."""


def _present(home: Path, unreadable: list[str]) -> Iterator[_Source]:
    rows = list(_of_database(home, unreadable))
    yield _Source(DATABASE, rows, max((row.position for row in rows), default=0))
    yield from _journals([home / JOURNAL], unreadable)
    yield from _copies([home / KEPT], unreadable)


def _set_aside(home: Path, unreadable: list[str]) -> Iterator[_Source]:
    yield from _journals(sorted(home.glob(f"{Path(JOURNAL).stem}.set-aside-*"), reverse=True), unreadable)
    yield from _copies(sorted(home.glob(f"{KEPT}.*"), reverse=True), unreadable)


def _journals(paths: Sequence[Path], unreadable: list[str]) -> Iterator[_Source]:
    for path in paths:
        try:
            content = read_journal(path)
        except OSError as error:
            unreadable.append(f"{path}: {error.strerror}")
            continue
        if content is not None:
            start = content.start[0] if content.start else 0
            last = max([start, 0 if content.torn else content.mentioned])
            yield _Source(path.name, (*content.rows, *content.loose), last)


def _copies(folders: Sequence[Path], unreadable: list[str]) -> Iterator[_Source]:
    for folder in folders:
        kept = KeptJournal(folder).read()
        unreadable += kept.unreadable
        yield _Source(folder.name, kept.rows, max((row.position for row in kept.rows), default=0))


def _of_database(home: Path, unreadable: list[str]) -> Iterator[Row]:
    """Return the database's readable rows. They are read from a copy, because opening a database may change it."""
    with tempfile.TemporaryDirectory(prefix="anabranch-salvage-") as scratch:
        for path in home.glob(f"{DATABASE}*"):
            try:
                shutil.copyfile(path, Path(scratch) / path.name)
            except OSError as error:
                unreadable.append(f"{path}: {error.strerror}")
        if not (Path(scratch) / DATABASE).exists():
            return
        try:
            with closing(open_database(Path(scratch) / DATABASE)) as connection:
                yield from _readable(connection, 0, _last(connection))
        except (LogError, duckdb.Error) as error:
            unreadable.append(f"{home / DATABASE}: {first_line(error)}")


def _last(connection: duckdb.DuckDBPyConnection) -> int:
    try:
        return int(connection.execute("SELECT coalesce(max(position), 0) FROM event_log").fetchall()[0][0])
    except duckdb.Error:
        return _FAR


def _readable(connection: duckdb.DuckDBPyConnection, after: int, upto: int) -> Iterator[Row]:
    """Return the rows after position `after` up to `upto`; if they cannot be read together, read each half
    separately.
    """
    sql = f"{SELECT_ROWS} WHERE position > ? AND position <= ? ORDER BY position"
    try:
        rows = [to_row(fields) for fields in connection.execute(sql, [after, upto]).fetchall()]
    except duckdb.Error:
        middle = (after + upto) // 2
        if upto - after <= _PIECE:
            return
        yield from _readable(connection, after, middle)
        yield from _readable(connection, middle, upto)
        return
    yield from rows


def _chain(found: dict[int, dict[str, Row]]) -> list[Row]:
    """Return the rows from the first one on, as long as each is chained to the previous one."""
    chain: list[Row] = []
    previous = GENESIS
    while True:
        row = next((r for r in found.get(len(chain) + 1, {}).values() if holds(previous, r)), None)
        if row is None:
            return chain
        chain.append(row)
        previous = row.hash


def _beyond(found: dict[int, dict[str, Row]], after: int) -> list[Row]:
    """Return the rows after a gap: each is chained to the one before it, or begins a stretch that the next row
    confirms.
    """
    rows: list[Row] = []
    for position in sorted(p for p in found if p > after):
        candidates = list(found[position].values())
        before = rows[-1] if rows and rows[-1].position == position - 1 else None
        if before is not None:
            follows = [row for row in candidates if holds(before.hash, row)]
        else:
            later = found.get(position + 1, {}).values()
            follows = [row for row in candidates if not later or any(holds(row.hash, r) for r in later)]
        rows += follows[:1]
    return rows


def _by_stream(rows: Iterable[Row]) -> tuple[list[Row], int]:
    """Return the rows of each stream up to its first missing event, and the number of rows after that."""
    versions: defaultdict[str, int] = defaultdict(int)
    taken: list[Row] = []
    left = 0
    for row in rows:
        if row.version == versions[row.stream] + 1:
            versions[row.stream] = row.version
            taken.append(row)
        else:
            left += 1
    return taken, left


def _gaps(there: set[int], reached: int) -> Iterator[tuple[int, int]]:
    first = None
    for position in range(1, reached + 2):
        gone = position <= reached and position not in there
        if gone and first is None:
            first = position
        elif not gone and first is not None:
            yield first, position - 1
            first = None


def _write(target: Path, rows: Sequence[Row]) -> None:
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(open_database(target / DATABASE)) as connection:
        connection.execute("BEGIN")
        insert_rows(connection, rows)
        connection.execute("COMMIT; CHECKPOINT")
    begin_journal(target / JOURNAL, rows[-1])
