"""Many files in a chat: they work, or are all refused before anything is recorded, with advice."""

from importlib import import_module
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import ForkChat, InstallToolset, RemoveFile, SelectLeaf, Upload, UploadFiles
from engine.errors import Refused
from engine.workspace.limits import WorkspaceLimits, largest_write
from events.catalog.workspace import ManifestRecorded
from tests.support.talk import Talk, call, write_bundle

MANY = 12_000
"""More than the 10,000 at which every question was refused."""

MAKER = {
    "toolset.yaml": """\
manifest_version: "1"
id: maker
name: Maker
version: "1.0.0"
description: Makes files.
tools:
  - id: make
    name: Make
    description: Makes files.
    entrypoint: tools.act:run
    effects: write
    timeout: 300
    input_schema:
      type: object
      properties: {count: {type: integer}, at: {type: integer}}
""",
    "tools/act.py": """\
def run(workspace, count=0, at=None):
    if at is not None:
        with (workspace / "large.bin").open("wb") as file:
            file.seek(at)
            file.write(b"x")
    (workspace / "made").mkdir(exist_ok=True)
    for number in range(count):
        (workspace / "made" / f"{number}.bin").write_text(f"made {number}")
    return {"made": count}
""",
}


@pytest.fixture(scope="module")
def maker(app: App, tmp_path_factory: pytest.TempPathFactory) -> None:
    app.send(InstallToolset(write_bundle(tmp_path_factory.mktemp("maker"), MAKER), "yes"))


def limited(talk: Talk, files: int) -> None:
    """Limit the number of files in the chat's folder."""
    workspace = talk.app._workspaces.main(talk.chat_id).workspace
    workspace._state._limits = WorkspaceLimits(files=files)


@pytest.mark.long
def test_a_chat_with_many_files_in_its_folder_works(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a.bin", b"a")]))
    folder = talk.app.data / "chats" / talk.chat_id / "workspace"
    for number in range(MANY):
        (folder / f"{number}.bin").write_bytes(b"%d" % number)
    talk.replies({"calls": [call("look", back={"ok": True})]}, {"text": "Seen."}, {"text": "Again."})
    assert talk.ask().reason == "stop"
    assert len(talk.app.workspace.files(talk.chat_id)) == MANY + 1
    first = talk.branch()[0].message_id
    assert talk.ask("and again").reason == "stop"
    talk.app.send(RemoveFile(talk.chat_id, "7.bin"))
    added = [e for e in talk.events() if isinstance(e, ManifestRecorded)][-1]
    assert (len(added.added), added.removed) == (0, ("7.bin",)), (
        "a state says what changed, not the whole map"
    )
    assert not (folder / "7.bin").exists()
    fork = talk.app.send(ForkChat(talk.chat_id))
    assert len(talk.app.workspace.files(fork)) == MANY
    talk.app.send(SelectLeaf(talk.chat_id, first))
    assert (folder / "7.bin").exists()
    assert talk.app.retention.collect().removed == 0


@pytest.mark.long
def test_many_files_uploaded_at_once_are_recorded_as_one_state(talk: Talk) -> None:
    uploads = [Upload(f"{number}.bin", b"%d" % number) for number in range(2_000)]
    talk.app.send(UploadFiles(talk.chat_id, uploads))
    assert len(talk.app.workspace.files(talk.chat_id)) == 2_000
    assert len([e for e in talk.events() if isinstance(e, ManifestRecorded)]) == 1


@pytest.mark.long
@pytest.mark.usefixtures("maker")
def test_a_tool_that_creates_many_files_and_a_later_call_work(app: App, tmp_path: Path) -> None:
    talk = Talk(app, tmp_path)
    talk.replies(
        {"calls": [call("make", count=2_000)]}, {"calls": [call("look", back={"ok": True})]}, {"text": "."}
    )
    assert talk.ask().reason == "stop"
    assert [c.status for c in talk.calls()] == ["success", "success"]
    assert len(app.workspace.files(talk.chat_id)) == 2_000


def test_a_folder_with_too_many_files_is_refused_before_anything_is_recorded(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("a.bin", b"a")]))
    limited(talk, 5)
    folder = talk.app.data / "chats" / talk.chat_id / "workspace"
    for number in range(5):
        (folder / f"{number}.bin").write_bytes(b"%d" % number)
    head = talk.app.log.head()
    blobs = list(talk.app._workspaces.blobs(talk.chat_id).all())
    for _ in range(2):
        with pytest.raises(
            Refused, match=r"more than 5 files .* Nothing was recorded\. Put many small files into one"
        ):
            talk.ask()
    assert talk.app.log.head() == head
    assert list(talk.app._workspaces.blobs(talk.chat_id).all()) == blobs
    (folder / "0.bin").unlink()
    talk.replies({"text": "Seen."})
    assert talk.ask().reason == "stop"


@pytest.mark.usefixtures("maker")
def test_a_tool_that_creates_too_many_files_fails_and_none_is_kept(app: App, tmp_path: Path) -> None:
    talk = Talk(app, tmp_path)
    app.send(UploadFiles(talk.chat_id, [Upload("a.bin", b"a")]))
    limited(talk, 5)
    talk.replies({"calls": [call("make", count=9)]}, {"calls": [call("make", count=2)]}, {"text": "."})
    assert talk.ask().reason == "stop"
    first, second = talk.calls()
    assert "more than 5 files" in str(first.error)
    assert "The files that this call wrote were not kept" in str(first.error)
    assert second.status == "success"
    assert set(talk.files()) == set(talk.on_disk()) == {"a.bin", "made/0.bin", "made/1.bin"}


def test_reading_tables_reads_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All files used to be listed again for each file that was read."""
    monkeypatch.syspath_prepend(str(Path("engine/runtime/library").resolve()))
    table_files = import_module("anabranch_tool.table_files")
    for number in range(5):
        (tmp_path / f"{number}.csv").write_text("a,b\n1,2\n" if number else "")
    (tmp_path / ".hidden.csv").touch()
    every = table_files.tableless_files(tmp_path)
    monkeypatch.setattr(Path, "rglob", lambda *_: pytest.fail("all files were listed"))
    named = {f"{number}.csv" for number in range(5)} | {".hidden.csv", "not-there.csv"}
    assert table_files.tableless_files(tmp_path, named) == every == {"0.csv": "it is empty"}


@pytest.mark.usefixtures("maker")
def test_a_tool_can_write_a_file_as_large_as_the_disk_allows(app: App, tmp_path: Path) -> None:
    """It used to end at 2 GiB. The file here is sparse, so the test needs no disk space, and it is left out."""
    talk = Talk(app, tmp_path)
    talk.replies({"calls": [call("make", at=(2 << 30) + 10)]}, {"text": "."})
    assert talk.ask().reason == "stop"
    (made,) = talk.calls()
    expected = "success" if largest_write(tmp_path) > (2 << 30) + 10 else "error"
    assert (made.status, "File too large" in str(made.error)) == (expected, expected == "error")
