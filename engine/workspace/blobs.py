"""File contents named by their SHA-256: written once, durable before anything refers to them, never changed.

A batch writes its new blobs to temporary files in the store's root, syncs these together, renames them into place and
syncs the folders; only then does it return. A blob is read-only and is never linked into a workspace, where a tool
could edit it. Stores may share a blob by hard links, because nobody writes through such a link. So large content is on
the disk only once, even if several stores contain it. If it is removed from one store, it stays in the others.

A disk can damage its data. Every blob is checked when it is read, and storing the same content again replaces a damaged
blob.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Protocol

from engine.errors import NotFound, Unavailable
from engine.workspace.copying import copy_content
from engine.workspace.durable import sweep_temporaries, sync_folders, write_all
from engine.workspace.folder_batch import Blob, FolderBatch
from engine.workspace.hashing import CHUNK, digest_of, is_hash
from events.late_dataclass import dataclass

__all__ = ["Blob", "BlobBatch", "BlobCheck", "BlobStore", "FolderBlobs", "damaged_blob", "missing_blob"]


@dataclass(frozen=True, slots=True)
class BlobCheck:
    """The result of recomputing hashes."""

    blobs: int
    """The number of blobs that were checked."""
    missing: tuple[str, ...]
    damaged: tuple[str, ...]


class BlobBatch(Protocol):
    """Blobs that are being stored. Events may name these blobs after the batch has ended. Thread-safe."""

    def put_bytes(self, data: bytes) -> Blob:
        """Store `data`."""
        ...

    def put_stream(self, stream: BinaryIO) -> Blob:
        """Store the rest of `stream`, in constant memory."""
        ...


class BlobStore(Protocol):
    """Stores blobs. Thread-safe."""

    def batch(self) -> AbstractContextManager[BlobBatch]:
        """Collect blobs. All of them are durable when the block ends; none is stored if the block raises an error."""
        ...

    def put_bytes(self, data: bytes) -> Blob:
        """Store `data` durably; do nothing if it is already stored."""
        with self.batch() as batch:
            return batch.put_bytes(data)

    def put_file(self, path: Path) -> Blob:
        """Store the content of the file at `path` durably."""
        with self.batch() as batch, path.open("rb") as stream:
            return batch.put_stream(stream)

    def put_many(self, contents: Iterable[bytes]) -> list[Blob]:
        """Store many contents at the cost of about one sync; return the blobs in the order of `contents`."""
        with self.batch() as batch:
            return [batch.put_bytes(data) for data in contents]

    def has(self, sha256: str) -> bool:
        """Return whether the blob exists."""
        ...

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob for reading; raises NotFound."""
        ...

    def read(self, sha256: str) -> bytes:
        """Return the bytes after checking their hash; raises NotFound, or Unavailable if they are damaged."""
        with self.open(sha256) as stream:
            data = stream.read()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise damaged_blob(sha256)
        return data

    def copy_to(self, sha256: str, descriptor: int) -> None:
        """Write the blob to an open, empty file, and check its hash; raises NotFound, or Unavailable if it is
        damaged."""
        ...

    def all(self) -> Iterator[Blob]:
        """Yield all stored blobs, each with its hash and size."""
        ...

    def link_from(self, other: "BlobStore", hashes: Iterable[str]) -> tuple[str, ...]:
        """Link blobs from another store, durably; return the hashes that the other store does not have."""
        ...

    def remove(self, hashes: Iterable[str]) -> tuple[int, int]:
        """Remove blobs permanently; return their number and total bytes."""
        ...

    def check(self, hashes: Iterable[str] | None = None) -> BlobCheck:
        """Recompute the hashes of the blobs in `hashes`, by default of all stored blobs."""
        wanted = sorted(set(hashes)) if hashes is not None else [blob.sha256 for blob in self.all()]
        missing, damaged = [], []
        for sha256 in wanted:
            try:
                with self.open(sha256) as stream:
                    if digest_of(stream)[0] != sha256:
                        damaged.append(sha256)
            except NotFound:
                missing.append(sha256)
            except OSError:
                damaged.append(sha256)
        return BlobCheck(len(wanted), tuple(missing), tuple(damaged))


class FolderBlobs(BlobStore):
    """Blobs as files `<root>/ab/abcd…`, mode 0400."""

    def __init__(self, root: Path, beside: Callable[[], Iterable[Path]] = tuple) -> None:
        """`beside` returns the roots of the stores with which large content is shared, possibly including this
        store."""
        self.root = root
        self._beside = beside
        self.committing = Lock()
        if not root.exists():
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folders([root.parent])
        self.sweep()

    def sweep(self) -> int:
        """Remove temporary files of ended processes; return their number."""
        return sweep_temporaries(self.root)

    def path(self, sha256: str) -> Path:
        """Return the path of the blob, whether it exists or not; for reading only. Raises NotFound for an invalid
        hash."""
        _require_hash(sha256)
        return self.root / sha256[:2] / sha256

    @contextmanager
    def batch(self) -> Iterator[BlobBatch]:
        """See `BlobStore.batch`."""
        batch = FolderBatch(self)
        try:
            yield batch
            batch.commit()
        finally:
            batch.discard()

    def has(self, sha256: str) -> bool:
        """See `BlobStore.has`."""
        return is_hash(sha256) and self.path(sha256).exists()

    def open(self, sha256: str) -> BinaryIO:
        """See `BlobStore.open`."""
        try:
            return self.path(sha256).open("rb")
        except FileNotFoundError:
            raise missing_blob(sha256) from None

    def copy_to(self, sha256: str, descriptor: int) -> None:
        """See `BlobStore.copy_to`; shares the disk blocks where the file system can."""
        with self.open(sha256) as stream:
            if os.fstat(stream.fileno()).st_size < CHUNK:
                data = stream.read()
                if hashlib.sha256(data).hexdigest() != sha256:
                    raise damaged_blob(sha256)
                write_all(descriptor, data)
                return
            if digest_of(stream)[0] != sha256:
                raise damaged_blob(sha256)
            copy_content(stream.fileno(), descriptor)

    def intact(self, sha256: str) -> bool:
        """Return whether the blob exists and its content matches its name."""
        return is_intact(self.path(sha256), sha256)

    def twin(self, sha256: str) -> Path | None:
        """Return the path of the same content in another store, if it is undamaged; otherwise None."""
        for root in self._beside():
            place = root / sha256[:2] / sha256
            if root != self.root and is_intact(place, sha256):
                return place
        return None

    def all(self) -> Iterator[Blob]:
        """See `BlobStore.all`."""
        for folder in sorted(self.root.glob("[0-9a-f][0-9a-f]")):
            with os.scandir(folder) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if is_hash(entry.name):
                        yield Blob(entry.name, entry.stat().st_size)

    def link_from(self, other: BlobStore, hashes: Iterable[str]) -> tuple[str, ...]:
        """See `BlobStore.link_from`; makes hard links if the other store is a folder on the same file system, else
        copies."""
        missing, folders = [], set()
        with self.batch() as batch:
            for sha256 in dict.fromkeys(hashes):
                if self.has(sha256):
                    continue
                if not other.has(sha256):
                    missing.append(sha256)
                elif isinstance(other, FolderBlobs) and self._link(other.path(sha256), sha256):
                    folders.add(self.path(sha256).parent)
                else:
                    with other.open(sha256) as stream:
                        batch.put_stream(stream)
        sync_folders(folders)
        return tuple(missing)

    def remove(self, hashes: Iterable[str]) -> tuple[int, int]:
        """See `BlobStore.remove`."""
        removed = freed = 0
        for sha256 in hashes:
            path = self.path(sha256)
            try:
                size = path.stat().st_size
                if os.name == "nt":  # Windows does not remove read-only files
                    path.chmod(0o600)
                path.unlink()
            except FileNotFoundError:
                continue
            removed, freed = removed + 1, freed + size
        return removed, freed

    def new_folder(self, sha256: str) -> Path:
        """Make sure that the blob's folder exists and return it."""
        folder = self.path(sha256).parent
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _link(self, source: Path, sha256: str) -> bool:
        self.new_folder(sha256)
        try:
            self.path(sha256).hardlink_to(source)
        except FileExistsError:
            return True
        except OSError:  # another file system, or too many links; the caller copies the file instead
            return False
        return True


def _require_hash(text: str) -> None:
    if not is_hash(text):
        raise NotFound(
            "blob_missing", f"{text[:80]!r} is not the name of a blob: 64 hex digits were expected."
        )


def is_intact(path: Path, sha256: str) -> bool:
    """Return whether a file exists, can be read and has the content of that hash."""
    try:
        with path.open("rb") as stream:
            return digest_of(stream)[0] == sha256
    except OSError:
        return False


def damaged_blob(sha256: str) -> Unavailable:
    """Return the error for a blob whose content does not match its hash."""
    return Unavailable(
        "blob_damaged",
        f"The content {sha256} was damaged on the disk. Add the original file again to repair it, or remove the file "
        "from the chat. `anabranch check` lists all damage.",
    )


def missing_blob(sha256: str) -> NotFound:
    """Return the error for a blob that does not exist."""
    return NotFound(
        "blob_missing",
        f"The content {sha256} is no longer stored. `anabranch check` lists the missing contents.",
    )
