"""A workspace's tables in the engine: each content is typed once, and no fault ends a turn."""

import gc
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.models.messages import Message
from engine.runtime.pool import OnProgress, Pool
from engine.runtime.protocol import RunError, RunOutcome, RunRequest
from engine.secrets.scrubber import Scrubber
from engine.system.cancellation import Cancellation
from engine.tools.table_naming import names_of
from engine.tools.tables import Tables, TablesSeen
from engine.workspace.folder import Workspace
from engine.workspace.manifest import Files
from engine.workspace.memory_blobs import MemoryBlobs
from tests.support.ask_offline import ROOT
from tests.support.talk import Talk, call

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.table_files import find_table_files


class Asked:
    """A pool that remembers which files it was asked to type, and fails on request."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.wanted: list[list[str]] = []
        self.calls = 0
        self.deadly: dict[str, RunOutcome] = {}

    def run(
        self, request: RunRequest, *, cancel: Cancellation, on_progress: OnProgress | None = None
    ) -> RunOutcome:
        """Run, unless a deadly file would be read."""
        self.calls += 1
        wanted = [path for path, _ in request.arguments.get("wanted", ())]
        if wanted:
            self.wanted.append(wanted)
        for path, outcome in self.deadly.items():
            if path in wanted:
                return outcome
        return self.pool.run(request, cancel=cancel, on_progress=on_progress)


CRASHED = RunOutcome("error", error=RunError("crashed", "The tool's process crashed (SIGSEGV)."))
TOO_LONG = RunOutcome("timed_out", error=RunError("timed_out", "It took too long."))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool() as opened:
        yield opened


@pytest.fixture
def asked(pool: Pool) -> Asked:
    return Asked(pool)


def tables_at(asked: Asked, folder: Path) -> Tables:
    return Tables(asked, folder / "cache", Scrubber(dict))  # type: ignore[arg-type]


def held(folder: Path, **texts: str) -> tuple[Files, Path]:
    """A folder of files. In their names, `__` is a folder separator, and `_csv` the suffix."""
    for name, text in texts.items():
        path = folder / (name.replace("__", "/").removesuffix("_csv") + ".csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(folder, MemoryBlobs()).snapshot().files, folder


def names(tables: Any) -> list[tuple[str, str]]:
    return [(table.name, table.path) for table in tables]


@pytest.mark.long
def test_column_types_are_inferred_only_for_new_files_and_all_files_get_different_names(
    asked: Asked, tmp_path: Path
) -> None:
    tables = tables_at(asked, tmp_path)
    first = tables.look(*held(tmp_path / "w", deep__data_csv="n\n1\n", other_csv="m\n2\n"))
    assert names(first.tables) == [("other", "other.csv"), ("data", "deep/data.csv")]
    second = tables.look(*held(tmp_path / "w", data_csv="k\n3\n"))
    assert names(second.tables) == [
        ("data", "data.csv"),
        ("other", "other.csv"),
        ("deep_data", "deep/data.csv"),
    ]
    assert [t.columns[0].name for t in second.tables] == ["k", "m", "n"]
    assert asked.wanted == [["deep/data.csv", "other.csv"], ["data.csv"]]


@pytest.mark.long
def test_column_types_are_not_inferred_again_for_known_files(asked: Asked, tmp_path: Path) -> None:
    files, folder = held(tmp_path / "w", a_csv="n\n1\n")
    seen = tables_at(asked, tmp_path).look(files, folder)
    reopened = tables_at(asked, tmp_path)
    assert reopened.known(files) == seen.tables == reopened.look(files, folder).tables
    assert reopened.known(files | {"a.csv": files["a.csv"], "b.csv": files["a.csv"]}) is None
    assert len(asked.wanted) == 1
    assert reopened.known({}) == ()


@pytest.mark.long
def test_only_a_few_file_states_stay_in_memory_and_no_file_is_read_twice(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.tools.tables._KEPT", 12)
    tables = tables_at(asked, tmp_path)
    files, folder = held(tmp_path / "w", **{f"t{n}_csv": f"n\n{n}\n" for n in range(6)})
    states = [dict(list(files.items())[:count]) for count in range(1, 7)]
    gc.collect()
    before = sum(type(one) is TablesSeen for one in gc.get_objects())
    seen = [names(tables.look(state, folder).tables) for state in states]
    assert sum(type(one) is TablesSeen for one in gc.get_objects()) - before <= 2
    asked.calls = 0
    assert [names(tables.look(state, folder).tables) for state in states] == seen
    assert asked.calls == 0


def test_column_types_are_not_inferred_again_for_the_same_content_under_another_name(
    asked: Asked, tmp_path: Path
) -> None:
    tables = tables_at(asked, tmp_path)
    tables.look(*held(tmp_path / "one", a_csv="n\n1\n"))
    seen = tables.look(*held(tmp_path / "two", b_csv="n\n1\n"))
    assert names(seen.tables) == [("b", "b.csv")]
    assert asked.wanted == [["a.csv"]]


@pytest.mark.long
def test_a_file_that_crashes_its_process_does_not_hide_other_files(asked: Asked, tmp_path: Path) -> None:
    asked.deadly = {"bad.csv": CRASHED}
    seen = tables_at(asked, tmp_path).look(*held(tmp_path / "w", bad_csv="x\n", good_csv="n\n1\n"))
    assert names(seen.tables) == [("good", "good.csv")]
    assert seen.unread == {"bad.csv": "the process that read it ended early, perhaps for lack of memory"}


@pytest.mark.long
def test_a_file_that_took_too_long_is_read_on_the_next_try(asked: Asked, tmp_path: Path) -> None:
    asked.deadly = {"slow.csv": TOO_LONG}
    tables = tables_at(asked, tmp_path)
    files, folder = held(tmp_path / "w", slow_csv="n\n1\n")
    assert tables.look(files, folder).again == {"slow.csv"}
    assert tables.look(files, folder).unread == {"slow.csv": "reading it took too long"}
    assert len(asked.wanted) == 1
    asked.deadly = {}
    tables.retry()
    assert names(tables.look(files, folder).tables) == [("slow", "slow.csv")]
    assert tables_at(asked, tmp_path).look(files, folder).unread == {}


def test_a_damaged_cache_entry_is_created_again(asked: Asked, tmp_path: Path) -> None:
    files, folder = held(tmp_path / "w", a_csv="n\n1\n2\n")
    catalog = tables_at(asked, tmp_path).catalog(files, folder, Cancellation())
    (parquet,) = catalog.readable
    content = parquet.read_bytes()
    parquet.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    again = tables_at(asked, tmp_path).catalog(files, folder, Cancellation())
    assert again == catalog
    assert parquet.read_bytes() == content
    assert len(asked.wanted) == 2


def test_a_bit_that_flips_while_the_cache_is_open_does_not_change_a_number(
    asked: Asked, tmp_path: Path
) -> None:
    files, folder = held(tmp_path / "w", a_csv="n\n1\n2\n")
    tables = tables_at(asked, tmp_path)
    (parquet,) = tables.catalog(files, folder, Cancellation()).readable
    content, was = parquet.read_bytes(), parquet.stat()
    while time.time_ns() < was.st_ctime_ns + 200_000_000:
        tables.catalog(files, folder, Cancellation())
    parquet.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    os.utime(parquet, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (parquet.stat().st_size, parquet.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    assert tables.catalog(files, folder, Cancellation()).readable == (parquet,)
    assert parquet.read_bytes() == content
    elsewhere = tmp_path / "elsewhere.parquet"
    parquet.rename(elsewhere)
    parquet.symlink_to(elsewhere)
    assert tables.catalog(files, folder, Cancellation()).readable == (parquet,)
    assert not parquet.is_symlink()


@pytest.mark.long
def test_an_incomplete_cache_entry_is_created_again(asked: Asked, tmp_path: Path) -> None:
    files, folder = held(tmp_path / "w", a_csv="n\n1\n2\n")
    (parquet,) = tables_at(asked, tmp_path).catalog(files, folder, Cancellation()).readable
    (parquet.parent / "entry.json").unlink()
    assert tables_at(asked, tmp_path).catalog(files, folder, Cancellation()).readable == (parquet,)
    shutil.rmtree(parquet.parent)
    assert tables_at(asked, tmp_path).catalog(files, folder, Cancellation()).readable == (parquet,)
    assert len(asked.wanted) == 3


def test_a_catalog_lists_what_a_call_needs_to_open_the_tables(asked: Asked, tmp_path: Path) -> None:
    lines = "".join(f"{n},{'abt 9' if n == 7 else n}\n" for n in range(100))
    files, folder = held(tmp_path / "w", a_csv=f"id,kwh\n{lines}", bad_csv="")
    catalog = tables_at(asked, tmp_path).catalog(files, folder, Cancellation())
    (table,) = catalog.tables
    assert (table["name"], table["path"], table["kind"], table["sheet"]) == ("a", "a.csv", "csv", None)
    assert table["parquet"] == [str(file) for file in catalog.readable]
    assert catalog.unread == {"bad.csv": "it is empty"}
    (_, kwh) = table["columns"]  # type: ignore[misc]
    assert (kwh["unreadable"], kwh["examples"]) == (1, ["abt 9"])  # type: ignore[index,call-overload]


@pytest.mark.long
def test_unread_changes_in_a_write_ahead_log_next_to_a_database_are_reported(
    asked: Asked, tmp_path: Path
) -> None:
    import sqlite3  # noqa: PLC0415 -- for this test only

    folder = tmp_path / "w"
    folder.mkdir()
    with sqlite3.connect(folder / "shop.db") as database:
        database.execute("CREATE TABLE orders (id INTEGER)")
    database.close()
    (folder / "shop.db-wal").write_bytes(b"waiting")
    seen = tables_at(asked, tmp_path).look(*held(folder))
    assert "Changes in shop.db-wal are not read" in seen.tables[0].notes[0]


def test_if_no_file_can_be_read_as_a_table_the_turn_continues_and_the_model_is_told_why(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Pool.run

    def broken(self: Pool, request: RunRequest, **more: Any) -> RunOutcome:
        return TOO_LONG if request.call_id == "tables" else run(self, request, **more)

    monkeypatch.setattr(Pool, "run", broken)
    talk.replies({"calls": [call("put", files={"t.csv": "n\n1\n"})]}, {"text": "Somehow."})
    turn = talk.ask()
    request = talk.app.request(talk.chat_id, turn.turn_id, 2)
    assert (turn.reason, request.tables) == ("stop", ())
    newest = next(item for item in reversed(request.messages) if isinstance(item, Message))
    assert "Files that could not be read as tables:\n- t.csv: reading it took too long" in newest.data_part


def test_a_new_result_gets_its_name_without_a_tool_process(asked: Asked, tmp_path: Path) -> None:
    tables = tables_at(asked, tmp_path)
    files, folder = held(tmp_path / "w", a_csv="n\n1\n")
    tables.catalog(files, folder, Cancellation())
    asked.calls = 0
    (folder / "results").mkdir()
    pq.write_table(pa.table({"n": [1]}), folder / "results" / "a.parquet")
    (folder / "empty.parquet").write_text(" ")
    files, _ = held(folder)
    catalog = tables.catalog(files, folder, Cancellation())
    assert [table["name"] for table in catalog.tables] == ["a", "results_a"]
    assert catalog.unread == {"empty.parquet": "it is empty"}
    assert asked.calls == 0


def test_the_engine_chooses_the_same_table_names_as_a_tool_process(tmp_path: Path) -> None:
    texts = (
        "a.csv",
        "A.CSV",
        "deep/a.csv",
        "select.csv",
        "2024.tsv",
        ".hidden/x.csv",
        "~$a.csv",
        "deep/er/a.json",
    )
    for path in (*texts, "results/a.parquet", "results/b-1.parquet", "results/b-2.parquet", "x y.parquet"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".parquet":
            pq.write_table(pa.table({"n": [1]}), file)
        else:
            file.write_text('[{"n": 1}]' if file.suffix == ".json" else "n\n1\n")
    paths = [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()]
    known: dict[str, list[str | None]] = {path: [None] for path in paths if not path.endswith(".parquet")}
    found = names_of(paths, known, tmp_path)
    assert found is not None
    assert found["names"] == [
        [table.path, table.sheet, table.name, table.kind, list(table.parts)]
        for table in find_table_files(tmp_path)
    ]


def test_parquet_parts_in_a_folder_are_recognized_as_one_table_by_their_content(
    asked: Asked, tmp_path: Path
) -> None:
    folder = tmp_path / "w"
    (folder / "sales").mkdir(parents=True)
    for number in range(2):
        pq.write_table(pa.table({"n": [number]}), folder / "sales" / f"part-{number}.parquet")
    files, _ = held(folder)
    (table,) = tables_at(asked, tmp_path).catalog(files, folder, Cancellation()).tables
    assert (table["name"], table["path"]) == ("sales", "sales")
