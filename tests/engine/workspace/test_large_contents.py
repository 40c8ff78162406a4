"""Large contents are on the disk only once, however many chats use them, and a damaged one is never used."""

import os
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import DeleteChat, ForkChat, RemoveFile, Upload, UploadFiles
from engine.errors import Unavailable
from engine.workspace.blobs import FolderBlobs
from engine.workspace.copying import shares_blocks
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call

LARGE = 32 << 20


@pytest.fixture
def large() -> bytes:
    return os.urandom(LARGE)


def on_disk(folder: Path) -> int:
    """The bytes that a folder's files use on the disk, each file counted once."""
    found = {entry.stat().st_ino: entry.stat() for entry in folder.rglob("*") if entry.is_file()}
    return sum(status.st_blocks * 512 for status in found.values())


def sole_blob(app: App, chat_id: str) -> tuple[str, Path]:
    (entry,) = app.workspace.files(chat_id).values()
    return entry.sha256, app.workspace.path(chat_id, entry.sha256)


def flip(path: Path) -> None:
    path.chmod(0o600)
    with path.open("r+b") as stream:
        byte = stream.read(1)
        stream.seek(0)
        stream.write(bytes([byte[0] ^ 1]))
    path.chmod(0o400)


@pytest.mark.long
def test_a_fork_of_a_chat_with_a_large_file_takes_almost_no_disk_space(talk: Talk, large: bytes) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large)]))
    before = on_disk(talk.app.data / "chats")
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id)))
    assert on_disk(talk.app.data / "chats") - before < 1 << 20
    assert {path: entry.size for path, entry in talk.app.workspace.files(fork.chat_id).items()} == {
        "large.bin": LARGE
    }


@pytest.mark.long
def test_a_forks_large_files_are_put_in_its_folder_when_the_folder_is_used(talk: Talk, large: bytes) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large)]))
    fork = talk.app.send(ForkChat(talk.chat_id))
    talk.app.send(UploadFiles(fork, [Upload("small.txt", b"1")]))
    folder = talk.app.data / "chats" / fork / "workspace"
    assert (folder / "large.bin").read_bytes() == large
    with (folder / "large.bin").open("r+b") as stream:
        stream.write(b"edited by a tool")
    assert talk.app.workspace.read(talk.chat_id, sole_blob(talk.app, talk.chat_id)[0]) == large


@pytest.mark.long
def test_a_tool_in_a_fork_keeps_the_large_files_of_the_original_chat(talk: Talk) -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload("large.txt", b"x" * LARGE)]))
    fork = Talk(talk.app, talk.folder, talk.app.send(ForkChat(talk.chat_id)))
    fork.replies({"calls": [call("put", files={"n.txt": "1"}, back={"ok": True})]}, {"text": "Done."})
    assert fork.ask().reason == "stop"
    assert [c.status for c in fork.calls()] == ["success"]
    assert set(fork.files()) == set(fork.on_disk()) == {"large.txt", "n.txt"}


@pytest.mark.long
@pytest.mark.parametrize("gone", mostly_long(["origin", "fork"], quick=(0,)))
def test_removing_shared_content_from_one_chat_keeps_it_in_the_other(
    talk: Talk, large: bytes, gone: str
) -> None:
    app = talk.app
    app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large)]))
    fork = app.send(ForkChat(talk.chat_id))
    loses, keeps = (talk.chat_id, fork) if gone == "origin" else (fork, talk.chat_id)
    sha256, path = sole_blob(app, loses)
    app.send(RemoveFile(loses, "large.bin"))
    assert FolderBlobs(path.parent.parent).remove([sha256])[0] == 1  # as `gc --older-than` does
    assert app.workspace.read(keeps, sha256) == large
    app.retention.collect()
    assert app.workspace.read(keeps, sha256) == large
    app.send(DeleteChat(keeps))


def test_a_large_file_uploaded_to_two_chats_is_stored_once(app: App, tmp_path: Path, large: bytes) -> None:
    first, second = Talk(app, tmp_path), Talk(app, tmp_path)
    for talk in (first, second):
        app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large)]))
    paths = [sole_blob(app, talk.chat_id)[1] for talk in (first, second)]
    assert paths[0].samefile(paths[1])
    folders = [app.data / "chats" / talk.chat_id / "workspace" / "large.bin" for talk in (first, second)]
    assert {folder.stat().st_nlink for folder in folders} == {1}
    assert not list((app.data / "chats").glob("*/blobs/.tmp-*"))


def test_a_file_system_without_hard_links_gets_copies(
    app: App, tmp_path: Path, large: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    talk = Talk(app, tmp_path)
    app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large)]))
    fork = app.send(ForkChat(talk.chat_id))
    assert app.workspace.read(fork, sole_blob(app, fork)[0]) == large
    assert not sole_blob(app, fork)[1].samefile(sole_blob(app, talk.chat_id)[1])


@pytest.mark.long
def test_a_flipped_bit_in_shared_content_is_reported_for_every_chat(talk: Talk, large: bytes) -> None:
    app = talk.app
    app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large)]))
    fork = app.send(ForkChat(talk.chat_id))
    sha256, path = sole_blob(app, talk.chat_id)
    flip(path)
    damaged = {(bad.chat_id, bad.sha256) for bad in app.checking.check().damaged}
    assert {(talk.chat_id, sha256), (fork, sha256)} <= damaged
    for chat_id in (talk.chat_id, fork):
        app.send(UploadFiles(chat_id, [Upload("again.bin", large)]))
        assert app.workspace.read(chat_id, sha256) == large
    assert not {bad for bad in app.checking.check().damaged if bad.chat_id in (talk.chat_id, fork)}


def test_damaged_content_is_not_shared_with_another_chat(app: App, tmp_path: Path, large: bytes) -> None:
    first, second = Talk(app, tmp_path), Talk(app, tmp_path)
    app.send(UploadFiles(first.chat_id, [Upload("large.bin", large)]))
    flip(sole_blob(app, first.chat_id)[1])
    app.send(UploadFiles(second.chat_id, [Upload("large.bin", large)]))
    sha256, path = sole_blob(app, second.chat_id)
    assert app.workspace.read(second.chat_id, sha256) == large
    assert not path.samefile(sole_blob(app, first.chat_id)[1])


@pytest.mark.parametrize("size", [10, 3 << 20])
def test_storing_content_again_repairs_a_damaged_copy(tmp_path: Path, size: int) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    data = os.urandom(size)
    blob = blobs.put_bytes(data)
    flip(blobs.path(blob.sha256))
    with pytest.raises(Unavailable, match="Add the original file again"):
        blobs.read(blob.sha256)
    (tmp_path / "again").write_bytes(data)
    assert blobs.put_file(tmp_path / "again") == blob
    assert blobs.read(blob.sha256) == data
    assert blobs.check().damaged == ()


def test_damaged_bytes_are_never_written_to_the_workspace(talk: Talk) -> None:
    app, data = talk.app, b"a,b\n1,2\n"
    app.send(UploadFiles(talk.chat_id, [Upload("a.csv", data)]))
    sha256, path = sole_blob(app, talk.chat_id)
    fork = app.send(ForkChat(talk.chat_id))
    flip(path)
    folder = app.data / "chats" / fork / "workspace"
    (folder / "a.csv").unlink()  # the user removed it, and wants it back
    app.send(UploadFiles(fork, [Upload("b.csv", b"x")]))
    head = app.workspace.files(fork)
    assert "a.csv" not in head
    app.send(UploadFiles(fork, [Upload("a.csv", data)]))
    assert app.workspace.read(fork, sha256) == data
    assert (folder / "a.csv").read_bytes() == data


def test_a_check_whether_copies_share_disk_blocks_leaves_no_files(tmp_path: Path) -> None:
    assert shares_blocks(tmp_path) in (True, False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_reading_tables_does_not_need_files_that_cannot_be_tables(talk: Talk, large: bytes) -> None:
    app = talk.app
    app.send(UploadFiles(talk.chat_id, [Upload("large.bin", large), Upload("a.csv", b"a,b\n1,2\n")]))
    entry = app.workspace.files(talk.chat_id)["large.bin"]
    app.workspace.path(talk.chat_id, entry.sha256).unlink()
    assert [table.name for table in app.workspace.tables(talk.chat_id)] == ["a"]
