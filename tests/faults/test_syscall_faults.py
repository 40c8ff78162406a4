"""The Nth write, sync, rename or unlink fails, for every N: the log stays a prefix and nothing stays incomplete.

Each scenario runs in a separate process in which one system call below its folder fails, ours or DuckDB's. Then the
folder is opened again, as after a restart with a disk that works.
"""

import errno
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    CreateChat,
    InstallToolset,
    RemoveFile,
    RestoreToolset,
    SaveFile,
    Upload,
    UploadFiles,
)
from engine.config import config_folder
from engine.errors import AnabranchError
from engine.toolsets.install import validate
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.log import Append, LogError
from tests.support.syscall_faults import Faults, run_with_faults
from tests.support.talk import write_bundle

pytestmark = pytest.mark.usefixtures("own_host")

CHAT = "00000000-0000-7000-8000-00000000000a"
TOLD = ("disk", "operating system reported", "journal", "could not be", "no longer accepts events")
"""Words of which a fault's message has one."""


def appending(home: Path) -> str:
    """Append six events, with a checkpoint among them; return the number acknowledged and the errors for the rest."""
    acknowledged = 0
    try:
        log = DuckDBLog(home)
        for number in range(1, 7):
            log.append(Append("chat-a", [ChatCreated(title=f"event {number}")]))
            acknowledged = number
            if number == 4:
                log.checkpoint()
        log.close()
    except LogError as error:
        return f"{acknowledged} {error}"
    return str(acknowledged)


def cases(
    base: Path, scenario: Callable[[Path], object], every: int, begin: Callable[[Path], Path] | None = None
) -> Iterator[tuple[Path, int, str]]:
    """Run `scenario` once for each of its system calls, or each `every`th, with that one failing.

    `begin` creates the folder at the start; by default there is none.
    """
    begin = begin or fresh
    counting = Faults(base / "data", 0)
    first = begin(base)
    code, told = run_with_faults(lambda: scenario(first), counting)
    assert code == 0, told
    assert counting.seen > 10
    for nth in range(1, counting.seen + 1, every):
        for error, persistent in ((errno.ENOSPC, True), (errno.EIO, False)):
            home = begin(base)
            code, told = run_with_faults(
                lambda home=home: scenario(home),  # type: ignore[misc]
                Faults(base / "data", nth, error, persistent=persistent),
            )
            assert code == 0, f"call {nth} of {counting.seen}: {told}"
            yield home, nth, told


def fresh(base: Path) -> Path:
    """An empty folder without any marks."""
    home = base / "data"
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(config_folder() / "checkpoints", ignore_errors=True)
    return home


def appended_events_stay_a_prefix(base: Path, every: int) -> None:
    for home, nth, told in cases(base, appending, every):
        acknowledged, _, message = told.partition(" ")
        assert not message or any(word in message for word in TOLD), f"call {nth}: {message}"
        log = DuckDBLog(home)
        titles = [r.event.title for r in log.read_all() if isinstance(r.event, ChatCreated)]
        assert titles == [f"event {n}" for n in range(1, len(titles) + 1)]
        assert len(titles) in (int(acknowledged), int(acknowledged) + 1), f"call {nth}: {told}"
        assert log.verify().ok
        log.close()


def working(home: Path) -> str:
    """Uploads, an edit, an install: returns the refusals, line by line."""
    said: list[str] = []
    bundle = write_bundle(home.parent / "bundle")
    try:
        app = App(home)
    except (AnabranchError, LogError) as error:
        return f"open: {error}"
    steps = [
        lambda: app.send(CreateChat()),
        lambda: app.send(UploadFiles(app.chats()[0]["chat_id"], [Upload("a.csv", b"x\n" * 50_000)])),
        lambda: app.send(SaveFile(app.chats()[0]["chat_id"], "notes.md", b"# Notes", None)),
        lambda: app.send(InstallToolset(bundle, "yes")),
    ]
    for step in steps:
        try:
            step()
        except AnabranchError as error:
            said.append(f"{error.code}: {error.message}")
        except IndexError:
            said.append("disk: there is no chat")
    try:
        app.close()
    except LogError as error:
        said.append(f"close: {error}")
    return "\n".join(said)


def nothing_stays_half(base: Path, every: int) -> None:
    for home, nth, told in cases(base, working, every):
        for line in told.splitlines():
            assert any(word in line for word in TOLD), f"call {nth}: {line}"
        with open_app(home) as app:
            assert app.log.verify().ok
            live = app.reads.registers()
            app.reads.rebuild()
            assert app.reads.registers() == live
            assert app.checking.check().ok
            assert not list((home / "toolsets").glob(".staging-*"))
            assert not list(home.glob("chats/*/blobs/*.tmp")) + list(home.glob("chats/*/*.incoming/*"))
            for file in app.read("toolset_files"):
                assert (home / file["stored_path"]).stat().st_size == file["size"]
            for row in app.installed():
                (version,) = {
                    Path(f["stored_path"]).parts[2]
                    for f in app.read("toolset_files")
                    if f["toolset_id"] == row["id"]
                }
                assert [
                    p
                    for p in validate(home / "toolsets" / row["id"] / version)
                    if p.code != "nothing_offered"
                ] == []
            for chat in app.chats():
                for path, entry in app.workspace.files(chat["chat_id"]).items():
                    assert len(app.workspace.read(chat["chat_id"], entry.sha256)) == entry.size, path


def spoiled(base: Path) -> Path:
    """A folder with an old content to remove and a changed toolset; created once, then copied."""
    home, prepared = fresh(base), base / "prepared"
    if not prepared.exists():
        with open_app(prepared) as app:
            app.send(InstallToolset(write_bundle(base / "bundle"), "yes"))
            chat_id = app.send(CreateChat())
            app.send(UploadFiles(chat_id, [Upload("old.csv", b"x\n1\n"), Upload("kept.csv", b"y\n2\n")]))
            app.send(RemoveFile(chat_id, "old.csv"))
            stored = next(row for row in app.read("toolset_files") if row["path"] == "tools/act.py")
        (prepared / stored["stored_path"]).unlink()
        (prepared / stored["stored_path"]).with_name("more.py").write_text("evil")
    shutil.copytree(prepared, home)
    return home


LATER = datetime(2999, 1, 1, tzinfo=UTC)


def mending(home: Path) -> str:
    """A restore and a removal: returns the refusals, line by line."""
    said: list[str] = []
    try:
        app = App(home)
    except (AnabranchError, LogError) as error:
        return f"open: {error}"
    steps = [lambda: app.send(RestoreToolset("kit")), lambda: app.retention.collect(LATER)]
    for step in steps:
        try:
            step()
        except (AnabranchError, LogError) as error:
            said.append(str(error))
        except OSError as error:
            said.append(f"disk: {error}")
    try:
        app.close()
    except LogError as error:
        said.append(f"close: {error}")
    return "\n".join(said)


def restoring_and_removing_can_go_on(base: Path, every: int) -> None:
    for home, nth, told in cases(base, mending, every, spoiled):
        for line in told.splitlines():
            assert any(word in line for word in TOLD), f"call {nth}: {line}"
        with open_app(home) as app:
            assert app.log.verify().ok
            before = app.checking.check()
            assert before.missing == before.damaged == (), f"call {nth}: {told}"
            app.send(RestoreToolset("kit"))
            app.retention.collect(LATER)
            after = app.checking.check()
            assert after.ok, f"call {nth}: {after}"
            assert [removed.why for removed in after.removed] == ["retention"]
            assert not list((home / "toolsets").glob(".*"))
            assert app.retention.collect().unexplained == ()


def test_a_restore_and_a_removal_recover_whichever_system_call_fails(tmp_path: Path) -> None:
    restoring_and_removing_can_go_on(tmp_path, every=141)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_restore_and_a_removal_recover_from_a_fault_in_every_system_call(tmp_path: Path) -> None:
    restoring_and_removing_can_go_on(tmp_path, every=1)


@pytest.mark.long
def test_the_log_keeps_a_prefix_of_its_events_whichever_system_call_fails(tmp_path: Path) -> None:
    appended_events_stay_a_prefix(tmp_path, every=51)


def test_no_blob_or_bundle_stays_incomplete_whichever_system_call_fails(tmp_path: Path) -> None:
    nothing_stays_half(tmp_path, every=291)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_the_log_keeps_a_prefix_of_its_events_after_a_fault_in_every_system_call(tmp_path: Path) -> None:
    appended_events_stay_a_prefix(tmp_path, every=1)


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_no_blob_or_bundle_stays_incomplete_after_a_fault_in_every_system_call(tmp_path: Path) -> None:
    nothing_stays_half(tmp_path, every=1)
