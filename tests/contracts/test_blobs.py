"""Rules that every blob store follows."""

import hashlib
import io
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.errors import NotFound, Unavailable
from engine.workspace.blobs import Blob, BlobStore, FolderBlobs
from engine.workspace.memory_blobs import MemoryBlobs

MakeStore = Callable[[str], BlobStore]


@pytest.fixture(params=["folder", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MakeStore:
    if request.param == "memory":
        return lambda _: MemoryBlobs()
    return lambda name: FolderBlobs(tmp_path / name)


@pytest.fixture
def blobs(make: MakeStore) -> BlobStore:
    return make("blobs")


@pytest.fixture
def folder(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_stored_bytes_are_read_back_by_their_hash(blobs: BlobStore) -> None:
    blob = blobs.put_bytes(b"hello")
    assert blob == Blob(sha(b"hello"), 5)
    assert blobs.has(blob.sha256)
    assert blobs.read(blob.sha256) == b"hello"
    with blobs.open(blob.sha256) as stream:
        assert stream.read(2) == b"he"


def test_the_empty_blob_can_be_stored(blobs: BlobStore) -> None:
    assert blobs.read(blobs.put_bytes(b"").sha256) == b""


def test_storing_twice_changes_nothing(blobs: BlobStore) -> None:
    assert blobs.put_bytes(b"same") == blobs.put_bytes(b"same")
    assert list(blobs.all()) == [Blob(sha(b"same"), 4)]


def test_many_blobs_come_back_in_order_and_equal_ones_only_once(blobs: BlobStore) -> None:
    contents = [str(number % 40).encode() for number in range(50)]
    assert [blob.sha256 for blob in blobs.put_many(contents)] == [sha(data) for data in contents]
    assert {blob.sha256 for blob in blobs.all()} == {sha(data) for data in contents}


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_files_and_streams_of_any_size_are_stored_whole(blobs: BlobStore, tmp_path: Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    data = data[:size]
    source = tmp_path / "source"
    source.write_bytes(data)
    assert blobs.put_file(source) == Blob(sha(data), size)
    with blobs.batch() as batch:
        assert batch.put_stream(io.BytesIO(data)) == Blob(sha(data), size)
    assert blobs.read(sha(data)) == data


def test_a_stream_that_gives_a_few_bytes_at_a_time_and_cannot_rewind_is_stored_whole(
    blobs: BlobStore,
) -> None:
    class Drip(io.RawIOBase):
        left = 2_500_000

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            count = min(len(buffer), self.left, 70_001)
            buffer[:count] = b"x" * count
            self.left -= count
            return count

    with blobs.batch() as batch:
        blob = batch.put_stream(Drip())  # type: ignore[arg-type]
    assert blob == Blob(sha(b"x" * 2_500_000), 2_500_000)
    assert blobs.check().damaged == ()


def test_a_batch_that_fails_stores_nothing(blobs: BlobStore) -> None:
    def fail() -> None:
        with blobs.batch() as batch:
            batch.put_bytes(b"one")
            batch.put_stream(io.BytesIO(b"x" * (2 << 20)))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert list(blobs.all()) == []


@pytest.mark.parametrize("name", ["0" * 64, "../../etc/passwd", "", "A" * 64])
def test_an_error_names_the_blob_that_is_missing(blobs: BlobStore, name: str) -> None:
    assert not blobs.has(name)
    with pytest.raises(NotFound) as error:
        blobs.read(name)
    assert error.value.code == "blob_missing"


def test_a_copy_is_written_to_an_open_file(blobs: BlobStore, tmp_path: Path) -> None:
    data = os.urandom(200_000)
    blob = blobs.put_bytes(data)
    target = tmp_path / "target"
    with target.open("wb") as stream:
        blobs.copy_to(blob.sha256, stream.fileno())
    assert target.read_bytes() == data
    target.write_bytes(b"edited")
    assert blobs.read(blob.sha256) == data


def test_a_blob_linked_into_a_second_store_stays_after_its_removal_from_the_first(make: MakeStore) -> None:
    first, second = make("first"), make("second")
    kept = [blob.sha256 for blob in first.put_many([b"one", b"two"])]
    assert second.link_from(first, [*kept, "0" * 64, kept[0]]) == ("0" * 64,)
    assert second.link_from(first, kept) == ()
    assert first.remove(kept) == (2, 6)
    assert [second.read(name) for name in kept] == [b"one", b"two"]
    assert not first.has(kept[0])


def test_blobs_can_be_copied_between_stores_of_different_kinds(tmp_path: Path) -> None:
    folder, memory = FolderBlobs(tmp_path / "blobs"), MemoryBlobs()
    blob = memory.put_bytes(b"x" * (2 << 20))
    assert folder.link_from(memory, [blob.sha256]) == ()
    assert MemoryBlobs().link_from(folder, [blob.sha256]) == ()
    assert folder.read(blob.sha256) == b"x" * (2 << 20)


def test_removing_a_blob_that_does_not_exist_does_nothing(blobs: BlobStore) -> None:
    assert blobs.remove(["0" * 64]) == (0, 0)


def test_a_check_finds_no_damage_in_intact_blobs_and_names_missing_ones(blobs: BlobStore) -> None:
    blob = blobs.put_bytes(b"sound")
    assert (blobs.check().blobs, blobs.check().missing, blobs.check().damaged) == (1, (), ())
    assert blobs.check([blob.sha256, "0" * 64]).missing == ("0" * 64,)


def test_threads_may_store_the_same_blob_at_once(blobs: BlobStore) -> None:
    start = threading.Barrier(8)

    def store(_: int) -> list[Blob]:
        start.wait(600)
        return blobs.put_many([str(number).encode() for number in range(30)])

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(store, range(8)))
    assert all(result == results[0] for result in results)
    assert blobs.check().damaged == ()
    assert len(list(blobs.all())) == 30


def test_a_blob_is_a_read_only_file_named_by_its_hash(folder: FolderBlobs) -> None:
    blob = folder.put_bytes(b"x")
    path = folder.root / blob.sha256[:2] / blob.sha256
    assert folder.path(blob.sha256) == path
    assert path.stat().st_mode & 0o777 == 0o400
    assert path.stat().st_nlink == 1


def test_leftovers_of_a_killed_process_are_deleted_but_not_files_of_an_open_batch(
    folder: FolderBlobs,
) -> None:
    leftover = folder.root / ".tmp-0000-1"
    leftover.write_bytes(b"half")
    with folder.batch() as batch:
        batch.put_bytes(b"on its way")
        again = FolderBlobs(folder.root)
        assert not leftover.exists()
    assert again.read(sha(b"on its way")) == b"on its way"
    assert [path.name for path in folder.root.iterdir()] == [sha(b"on its way")[:2]]


def test_a_damaged_blob_is_found_and_never_returned(folder: FolderBlobs) -> None:
    blob = folder.put_bytes(b"precious")
    path = folder.path(blob.sha256)
    path.chmod(0o600)
    path.write_bytes(b"preciouz")
    assert folder.check().damaged == (blob.sha256,)
    with pytest.raises(Unavailable, match="damaged"):
        folder.read(blob.sha256)


def test_file_contents_file_names_and_folders_are_synced_before_a_batch_returns(
    folder: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    paths = [folder.path(blob.sha256) for blob in folder.put_many([b"1", b"2", b"3", b"4", b"5", b"6"])]
    assert {place.stat().st_ino for path in paths for place in (path, path.parent, folder.root)} <= synced
