"""One flipped bit, one cut, one lost or older file in a store that was not closed: damage is never silent (LOG-3).

Each case is a copy of one small store, in which most events are in the checkpointed database and the last ones only in
its write-ahead log and in the journal.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from events import open_database
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.event import Event
from events.log import Append, LogDamaged
from events.log_files import DATABASE, JOURNAL
from tests.support.long_cases import mostly_long

WAL = f"{DATABASE}.wal"
FILES = (DATABASE, WAL, JOURNAL)
EVENTS: list[Event] = [ChatCreated(title=f"event {n}") for n in range(1, 15)]
CHECKPOINT_AFTER = 6
PARTS = 32


@dataclass(frozen=True)
class Store:
    """A store as left behind by a killed process, and copies of it."""

    home: Path
    older: Path
    """The same store right after its checkpoint."""
    scratch: Path

    def size(self, name: str) -> int:
        return (self.home / name).stat().st_size

    def damaged(self, damage: Callable[[Path], None]) -> Path:
        case = self.scratch / "case"
        shutil.rmtree(case, ignore_errors=True)
        shutil.copytree(self.home, case)
        damage(case)
        return case


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return made_in(tmp_path_factory.mktemp("flips"))


@pytest.fixture(scope="module")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The same store in a database with the smallest blocks: a tenth of the bytes, so that each can be tried."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(open_database._CONFIG, "default_block_size", "16384")
        return made_in(tmp_path_factory.mktemp("small"))


def made_in(folder: Path) -> Store:
    log = DuckDBLog(folder / "live")
    for number, event in enumerate(EVENTS, 1):
        log.append(Append(f"chat-{number % 2}", [event]))
        if number == CHECKPOINT_AFTER:
            log.checkpoint()
            shutil.copytree(folder / "live", folder / "older")
    shutil.copytree(folder / "live", folder / "store")
    log.close()
    return Store(folder / "store", folder / "older", folder)


def outcome(home: Path) -> str:
    """How a damaged store opens: `whole`, `found` or `refused`; anything else fails the test."""
    try:
        log = DuckDBLog(home)
    except LogDamaged as error:
        return "refused" if "Restore a copy" in str(error) else "refused without a way on"
    try:
        report = log.verify()
        if not report.ok:
            assert report.problem
            return "found"
        try:
            events = [recorded.event for recorded in log.read_all()]
            live = log.reads.registers()
        except duckdb.Error:
            return "found"
        assert events == EVENTS, "events are missing or other than written, and nobody said so"
        log.reads.rebuild()
        assert log.reads.registers() == live, "the read models are not those of the events"
        return "whole"
    finally:
        log.close()


def flip(name: str, position: int, bit: int) -> Callable[[Path], None]:
    def damage(case: Path) -> None:
        data = bytearray((case / name).read_bytes())
        data[position] ^= 1 << bit
        (case / name).write_bytes(data)

    return damage


def cut(name: str, size: int) -> Callable[[Path], None]:
    def damage(case: Path) -> None:
        with (case / name).open("r+b") as file:
            file.truncate(size)

    return damage


def spread(size: int, count: int) -> range:
    """Up to `count` positions, spread over all of `size`."""
    return range(0, size, max(1, -(-size // count)))


def test_an_undamaged_store_opens_whole(store: Store) -> None:
    assert outcome(store.damaged(lambda _: None)) == "whole"


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_never_silent(store: Store, name: str) -> None:
    count = 10 if name == DATABASE else 12
    seen = {outcome(store.damaged(flip(name, at, at % 8))) for at in spread(store.size(name), count)}
    assert seen <= ({"whole", "found", "refused"} if name == DATABASE else {"whole"})


@pytest.mark.parametrize("name", mostly_long(FILES, quick=(0,)))
def test_a_truncated_file_is_never_silent(store: Store, name: str) -> None:
    count = 6 if name == DATABASE else 8
    seen = {outcome(store.damaged(cut(name, size))) for size in spread(store.size(name), count)}
    assert seen <= ({"whole", "found", "refused"} if name == DATABASE else {"whole"})


@pytest.mark.parametrize(("name", "expected"), [(DATABASE, "found"), (WAL, "whole"), (JOURNAL, "whole")])
def test_a_lost_file_is_noticed_or_replaced(store: Store, name: str, expected: str) -> None:
    assert outcome(store.damaged(lambda case: (case / name).unlink())) == expected


@pytest.mark.parametrize("name", mostly_long(FILES, quick=(0,)))
def test_an_older_version_of_a_file_is_noticed_or_recovered_from(store: Store, name: str) -> None:
    def older(case: Path) -> None:
        source = store.older / name
        if source.exists():
            shutil.copy(source, case / name)
        else:
            (case / name).unlink()

    assert outcome(store.damaged(older)) in ("whole", "found", "refused")


def test_an_older_database_gets_its_missing_events_from_the_current_journal(store: Store) -> None:
    def older(case: Path) -> None:
        (case / WAL).unlink()
        shutil.copy(store.older / DATABASE, case / DATABASE)

    case = store.damaged(older)
    log = DuckDBLog(case)
    assert log.restored == len(EVENTS) - CHECKPOINT_AFTER
    log.close()
    assert outcome(case) == "whole"


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FILES)
def test_no_flipped_byte_and_no_truncation_is_silent(small_store: Store, name: str, part: int) -> None:
    """One bit of each byte, a different one from byte to byte; split into parts that can run in parallel."""
    seen = set()
    for at in range(part, small_store.size(name), PARTS):
        seen |= {outcome(small_store.damaged(damage)) for damage in (flip(name, at, at % 8), cut(name, at))}
    assert seen <= ({"whole", "found", "refused"} if name == DATABASE else {"whole"})
