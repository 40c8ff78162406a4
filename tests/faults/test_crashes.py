"""kill -9 at any instant: everything acknowledged is there exactly once, and the work continues."""

import random
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Timer

import pytest

from engine.app.app import App, open_app
from engine.deciders.fork import blob_hashes
from events.catalog.chat import ChatCreated
from events.catalog.tool_call import ToolCallFinished
from events.duckdb_log import DuckDBLog
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, install_kit
from tests.support.worker import LEDGER, begin

ROOT = Path(__file__).parents[2]
RUNS_IN_A_TEST = 4


def killed_while_working(folder: Path, seed: int) -> int:
    """Let the worker run in `folder` for a random time, kill it, and return the last acknowledged position."""
    worker, acknowledgements = begin(folder / "data", seed)
    acknowledged: int = acknowledgements.recv()
    bullet = Timer(random.Random(seed).uniform(0, 0.6), worker.kill)
    bullet.start()
    with suppress(EOFError):
        while True:
            acknowledged = acknowledgements.recv()
    bullet.join()
    worker.join()
    return acknowledged


def assert_nothing_is_lost_or_left_half(app: App, acknowledged: int) -> None:
    assert app.log.head() >= acknowledged
    report = app.log.verify()
    assert report.ok, report.problem
    recorded = list(app.log.read_all())
    assert [r.position for r in recorded] == list(range(1, len(recorded) + 1))
    ends = Counter(r.event.call_id for r in recorded if isinstance(r.event, ToolCallFinished))
    calls = app.read("tool_calls")
    assert {row["id"] for row in calls} == set(ends)
    assert set(ends.values()) <= {1}, "a call ended twice"
    assert {row["status"] for row in calls} <= {"success", "error", "cancelled", "interrupted"}
    assert all(row["finished_at"] for row in app.read("turns"))
    live = app.reads.registers()
    app.reads.rebuild()
    assert app.reads.registers() == live


def assert_files_are_whole(app: App, chat_id: str) -> None:
    for file in app.read("toolset_files"):
        assert (app.data / file["stored_path"]).stat().st_size == file["size"]
    assert not list((app.data / "toolsets").glob(".staging-*"))
    named = {h for r in app.log.read_stream(f"chat-{chat_id}") for h in blob_hashes(r.event.payload())}
    for sha256 in named:
        app.workspace.read(chat_id, sha256)
    assert not list((app.data / "chats" / chat_id / "blobs").glob("*.tmp"))
    for kind in ("turns", "calls"):
        assert not list((app.data / "chats" / chat_id / kind).glob("*"))


def assert_no_effect_happened_twice(app: App, chat_id: str) -> None:
    """Assert that each token was written by one call, and never again under another call's name."""
    writers = Counter(
        (path, manifest["call_id"])
        for manifest in app.chat(chat_id).manifests.values()
        for path in manifest["changes"]["added"]
        if path.startswith(LEDGER) and manifest["source"] == "tool_run"
    )
    paths = Counter(path for path, _ in writers)
    assert set(paths.values()) <= {1}, f"written by two calls: {[p for p, n in paths.items() if n > 1]}"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bundle and a chat, for runs that do not start with the very first opening."""
    data = tmp_path_factory.mktemp("begun") / "data"
    with open_app(data) as app:
        install_kit(app, data.parent / "kit")
        Talk(app, data.parent)
    return data


def one_run(folder: Path, seed: int, begun: Path | None) -> None:
    if begun is not None:
        shutil.copytree(begun, folder / "data")
    acknowledged = killed_while_working(folder, seed)
    with open_app(folder / "data") as app:
        (chat,) = app.chats()
        assert_nothing_is_lost_or_left_half(app, acknowledged)
        assert_files_are_whole(app, chat["chat_id"])
        assert_no_effect_happened_twice(app, chat["chat_id"])
        talk = Talk(app, folder, chat["chat_id"])
        said = len([m for m in talk.branch() if m.role == "assistant"])
        talk.replies(*[{"text": "…"}] * said, {"text": "All is well."})
        talk.ask("And now?")
        assert talk.branch()[-1].content == "All is well."
        on_disk = {p.relative_to(talk.place).as_posix() for p in talk.place.rglob("*") if p.is_file()}
        assert on_disk == set(app.workspace.files(chat["chat_id"]))


@pytest.mark.parametrize("first_seed", [0, pytest.param(RUNS_IN_A_TEST, marks=pytest.mark.long)])
def test_a_kill_at_a_random_instant_loses_nothing_and_leaves_nothing_incomplete(
    tmp_path: Path, begun: Path, first_seed: int
) -> None:
    for seed in range(first_seed, first_seed + RUNS_IN_A_TEST):
        one_run(tmp_path / str(seed), seed, begun if seed > first_seed else None)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("first_seed", range(1000, 2000, 100))
def test_a_thousand_kills_lose_nothing(tmp_path: Path, begun: Path, first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 100):
        one_run(tmp_path / str(seed), seed, begun if seed % 2 else None)


CUT_OFF = """
import os, sys
from pathlib import Path
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.log import Append, LogFault
log = DuckDBLog(Path(sys.argv[1]))
for n in range(20):
    log.append(Append("chat-a", [ChatCreated(title=f"event {n}")]))
with log.reads.reader() as cursor:
    cursor.execute(f"SET debug_checkpoint_abort = '{sys.argv[2]}'")
try:
    log.checkpoint()
except LogFault:
    os._exit(7)
"""


@pytest.mark.parametrize(
    "point", mostly_long(["before_truncate", "before_header", "after_free_list_write"], quick=(1,))
)
def test_a_checkpoint_killed_in_the_middle_loses_nothing(tmp_path: Path, point: str) -> None:
    ended = subprocess.run([sys.executable, "-c", CUT_OFF, tmp_path, point], cwd=ROOT, check=False)
    assert ended.returncode == 7, "the checkpoint was not cut off"
    log = DuckDBLog(tmp_path)
    titles = [r.event.title for r in log.read_all() if isinstance(r.event, ChatCreated)]
    assert titles == [f"event {n}" for n in range(20)]
    assert log.verify().ok
    log.close()
