"""Profiles of tables: each file once, the names over all of them, and no fault that ends a turn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import Cancel
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunError, RunOutcome, RunRequest
from engine.secrets.scrub import Scrubber
from engine.tools.tables import Tables
from engine.workspace.folder import Workspace
from engine.workspace.manifest import Files
from engine.workspace.memory_blobs import MemoryBlobs
from tests.support.talk import Talk, call


class Asked:
    """A pool that remembers which paths were known when it was asked, and fails where it is told to."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.known: list[list[str]] = []
        self.deadly: str | None = None

    def run(self, request: RunRequest, *, cancel: Cancel) -> RunOutcome:
        """Run, unless the deadly file would be read."""
        known = list(request.arguments["known"])
        self.known.append(known)
        if self.deadly is not None and self.deadly not in known:
            return RunOutcome("error", error=RunError("crashed", "The tool's process crashed (SIGSEGV)."))
        return self.pool.run(request, cancel=cancel)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool() as opened:
        yield opened


@pytest.fixture
def asked(pool: Pool) -> Asked:
    return Asked(pool)


def held(folder: Path, **texts: str) -> tuple[Files, Path]:
    """A folder of files, by their names with `__` for a folder and `_csv` at the end."""
    for name, text in texts.items():
        path = folder / (name.replace("__", "/").removesuffix("_csv") + ".csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(folder, MemoryBlobs()).snapshot().files, folder


def names(tables: Any) -> list[tuple[str, str]]:
    return [(table.name, table.path) for table in tables]


def test_only_new_files_are_profiled_and_names_are_those_of_the_whole(asked: Asked, tmp_path: Path) -> None:
    tables = Tables(asked, tmp_path / "cache", Scrubber(dict))  # type: ignore[arg-type]
    first = tables.look(*held(tmp_path / "w", deep__data_csv="n\n1\n", other_csv="m\n2\n"))
    assert names(first.tables) == [("other", "other.csv"), ("data", "deep/data.csv")]
    second = tables.look(*held(tmp_path / "w", data_csv="k\n3\n"))
    assert names(second.tables) == [
        ("data", "data.csv"),
        ("other", "other.csv"),
        ("deep_data", "deep/data.csv"),
    ]
    assert [t.columns[0].name for t in second.tables] == ["k", "m", "n"]
    assert asked.known == [[], ["deep/data.csv", "other.csv"]]


def test_what_was_seen_before_is_never_asked_for_again(asked: Asked, tmp_path: Path) -> None:
    files, folder = held(tmp_path / "w", a_csv="n\n1\n")
    seen = Tables(asked, tmp_path / "cache", Scrubber(dict)).look(files, folder)  # type: ignore[arg-type]
    reopened = Tables(asked, tmp_path / "cache", Scrubber(dict))  # type: ignore[arg-type]
    assert reopened.known(files) == seen.tables == reopened.look(files, folder).tables
    assert reopened.known(files | {"a.csv": files["a.csv"], "b.csv": files["a.csv"]}) is None
    assert len(asked.known) == 1
    assert reopened.known({}) == ()


def test_a_file_that_ends_its_process_hides_no_other(asked: Asked, tmp_path: Path) -> None:
    asked.deadly = "bad.csv"
    tables = Tables(asked, tmp_path / "cache", Scrubber(dict))  # type: ignore[arg-type]
    seen = tables.look(*held(tmp_path / "w", bad_csv="x\n", good_csv="n\n1\n"))
    assert names(seen.tables) == [("good", "good.csv")]
    assert seen.unread == {"bad.csv": "The tool's process crashed (SIGSEGV)."}


def test_where_nothing_can_be_profiled_the_turn_goes_on_and_the_model_is_told_why(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Pool.run

    def broken(self: Pool, request: RunRequest, **more: Any) -> RunOutcome:
        if request.call_id == "profile":
            return RunOutcome("timed_out", error=RunError("timed_out", "It took too long."))
        return run(self, request, **more)

    monkeypatch.setattr(Pool, "run", broken)
    talk.replies({"calls": [call("put", files={"t.csv": "n\n1\n"})]}, {"text": "Somehow."})
    turn = talk.ask()
    request = talk.app.request(talk.chat_id, turn.turn_id, 2)
    assert (turn.reason, request.tables) == ("stop", ())
    assert "The workspace holds no tables that could be read." in request.system
    assert "- t.csv: It took too long." in request.system
