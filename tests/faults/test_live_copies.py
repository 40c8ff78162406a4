"""A data folder copied file by file while an app uses it: the copy opens whole, or reports what is missing."""

import random
import subprocess
from pathlib import Path

import pytest

from engine.app.app import App
from tests.faults.test_crashes import begun
from tests.support.long_cases import mostly_long
from tests.support.worker import begin

__all__ = ["begun"]


def copied_while_working(folder: Path, begun: Path, seed: int) -> tuple[Path, int]:
    """Return a copy, made in the order the system lists the files, and what was acknowledged before it started."""
    subprocess.run(["cp", "-r", begun, folder / "data"], check=True)
    worker, acknowledgements = begin(folder / "data", seed)
    acknowledged: int = acknowledgements.recv()
    for _ in range(random.Random(seed).randint(0, 12)):
        acknowledged = acknowledgements.recv()
    # files that come and go meanwhile make `cp` complain, and are of no account
    subprocess.run(["cp", "-r", folder / "data", folder / "copy"], check=False, capture_output=True)
    worker.kill()
    worker.join()
    (folder / "copy" / "anabranch.lock").unlink(missing_ok=True)
    return folder / "copy", acknowledged


def assert_whole_or_told(folder: Path, begun: Path, seed: int) -> None:
    folder.mkdir()
    copy, acknowledged = copied_while_working(folder, begun, seed)
    app = App(copy, environ={"ANABRANCH_CONFIG": str(folder / "config"), "ANABRANCH_KEYRING": "off"})
    try:
        found = app.log.verify()
        assert found.ok == (app.upkeep.problem is None), "what is said at open is what verifying says"
        if found.ok:
            assert app.log.head() >= acknowledged, "an acknowledged event is lost, and nobody says so"
        for chat in app.chats():
            app.chat(chat["chat_id"])
        if found.ok:
            live = app.reads.registers()
            app.reads.rebuild()
            assert app.reads.registers() == live
        app.checking.check()  # names what the copy took too early; it must not raise
    finally:
        app.close()


@pytest.mark.parametrize("seed", mostly_long(range(3), quick=(2,)))
def test_a_copy_of_a_live_folder_is_whole_or_reports_what_is_missing(
    tmp_path: Path, begun: Path, seed: int
) -> None:
    assert_whole_or_told(tmp_path / "run", begun, seed)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("first", range(100, 130, 10))
def test_thirty_copies_of_live_folders_are_whole_or_report_what_is_missing(
    tmp_path: Path, begun: Path, first: int
) -> None:
    for seed in range(first, first + 10):
        assert_whole_or_told(tmp_path / str(seed), begun, seed)
