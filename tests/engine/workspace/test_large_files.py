"""Large files are read by threads: the snapshot does not depend on their order, and faults are distinguished."""

import errno
import hashlib
import os
import random
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.workspace import folder_batch, snapshot
from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace
from engine.workspace.hashing import CHUNK
from engine.workspace.limits import WorkspaceLimits
from engine.workspace.readers import FileToRead, Unreadable
from engine.workspace.snapshot import FolderState


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    found = Workspace(tmp_path / "workspace", FolderBlobs(tmp_path / "blobs"))
    found.folder.mkdir(exist_ok=True)
    return found


def temporaries(workspace: Workspace) -> list[Path]:
    assert isinstance(workspace.blobs, FolderBlobs)
    return list(workspace.blobs.root.glob(".tmp-*"))


def test_many_large_files_among_small_ones_are_stored_whole(workspace: Workspace) -> None:
    made = random.Random(7)
    expected = {}
    for number in range(60):
        size = made.choice([10, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
        data = bytes([number % 7]) * size
        path = workspace.folder / f"{number % 3}" / str(number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        expected[path.relative_to(workspace.folder).as_posix()] = hashlib.sha256(data).hexdigest()
    found = workspace.snapshot()
    assert {path: entry.sha256 for path, entry in found.files.items()} == expected
    assert list(found.files) == sorted(found.files)
    assert found.read == 60
    assert workspace.blobs.check().damaged == ()
    assert {blob.sha256 for blob in workspace.blobs.all()} == set(expected.values())
    assert temporaries(workspace) == []


def test_a_large_file_that_is_stored_already_is_not_written_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.folder / "a").write_bytes(b"a" * 3 * CHUNK)
    before = workspace.snapshot().files
    monkeypatch.setattr(folder_batch, "write_temporary", lambda *_: pytest.fail("written again"))
    assert Workspace(workspace.folder, workspace.blobs).snapshot().files == before


def test_a_large_file_of_the_same_length_as_a_stored_one_is_distinguished_from_it(
    workspace: Workspace,
) -> None:
    (workspace.folder / "a").write_bytes(b"a" * 3 * CHUNK)
    workspace.snapshot()
    (workspace.folder / "b").write_bytes(b"b" * 3 * CHUNK)
    assert workspace.snapshot().files["b"].sha256 == hashlib.sha256(b"b" * 3 * CHUNK).hexdigest()
    assert workspace.blobs.check().damaged == ()


@pytest.mark.parametrize("size", [10, 2 * CHUNK])
def test_a_file_that_cannot_be_read_is_left_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    (workspace.folder / "good").write_bytes(b"a" * size)
    (workspace.folder / "bad").write_bytes(b"b" * size)
    bad = (workspace.folder / "bad").stat().st_ino

    class Failing(FileToRead):
        def read(self, size: int | None = -1, /) -> bytes:
            if os.fstat(self.fileno()).st_ino == bad:
                raise Unreadable("Input/output error")
            return super().read(size)

    monkeypatch.setattr(snapshot, "FileToRead", Failing)
    found = workspace.snapshot()
    assert set(found.files) == {"good"}
    assert [(skipped.path, skipped.reason) for skipped in found.skipped] == [
        ("bad", "it cannot be read: Input/output error")
    ]


def test_an_error_in_reading_the_file_is_distinguished_from_an_error_in_the_store(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "only-to-write", os.O_WRONLY | os.O_CREAT)
    with FileToRead(descriptor) as file, pytest.raises(Unreadable):
        file.read(10)


@pytest.mark.parametrize("size", [10, 2 * CHUNK])
def test_a_store_that_cannot_write_fails_the_snapshot_instead_of_losing_the_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    (workspace.folder / "a").write_bytes(b"a" * size)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder_batch, "write_all", full)
    with pytest.raises(OSError, match="No space left"):
        workspace.snapshot()
    assert temporaries(workspace) == []


def test_a_scan_that_is_refused_half_way_leaves_nothing_behind(workspace: Workspace) -> None:
    for number in range(12):
        (workspace.folder / str(number)).write_bytes(bytes([number]) * 2 * CHUNK)
    state = FolderState(workspace.folder, WorkspaceLimits(files=8))
    with pytest.raises(Refused):
        state.snapshot(workspace.blobs)
    assert temporaries(workspace) == []
    assert list(workspace.blobs.all()) == []
