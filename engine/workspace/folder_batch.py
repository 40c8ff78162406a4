"""Writes a batch of blobs into a folder: temporary files first, renamed only when all are on the disk."""

import hashlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Protocol

from engine.workspace.durable import sync_files, sync_folders, write_all, write_temporary
from engine.workspace.hashing import CHUNK, PIECE, digest_of, head_of
from events.late_dataclass import dataclass

__all__ = ["Blob", "FolderBatch"]


@dataclass(frozen=True, slots=True)
class Blob:
    """The hash and size of stored content."""

    sha256: str
    """The hash: 64 lower-case hex digits."""
    size: int
    """The size in bytes."""


class _Store(Protocol):
    """The functions that a batch needs from its store."""

    root: Path
    committing: Lock

    def intact(self, sha256: str) -> bool: ...
    def twin(self, sha256: str) -> Path | None: ...
    def path(self, sha256: str) -> Path: ...
    def new_folder(self, sha256: str) -> Path: ...
    def all(self) -> Iterator[Blob]: ...


class FolderBatch:
    """A `BlobBatch`. Store large content from several threads if possible: hashing and writing release the interpreter
    lock.
    """

    def __init__(self, store: _Store) -> None:
        self._store = store
        self._lock = Lock()
        self._waiting: dict[str, Path] = {}
        self._sizes: set[int] | None = None

    def put_bytes(self, data: bytes) -> Blob:
        """See `BlobBatch.put_bytes`."""
        blob = Blob(hashlib.sha256(data).hexdigest(), len(data))
        if not self._known(blob.sha256):
            self._keep(
                blob, write_temporary(self._store.root, lambda descriptor: write_all(descriptor, data))
            )
        return blob

    def put_stream(self, stream: BinaryIO) -> Blob:
        """See `BlobBatch.put_stream`.

        A large file is read once, and hashed and written at the same time. If a blob of the same length exists, the
        file is hashed first, so that an existing blob is not written again.
        """
        first = head_of(stream)
        if len(first) < CHUNK:
            return self.put_bytes(first)
        if stream.seekable():
            start = stream.tell()
            size = stream.seek(0, os.SEEK_END) - start + len(first)
            stream.seek(start)
            if self._keeps_one_of(size):
                sha256, size = digest_of(stream, first)
                if self._known(sha256):
                    return Blob(sha256, size)
                stream.seek(start)
        return self._copy(stream, first)

    def _copy(self, stream: BinaryIO, first: bytes) -> Blob:
        digest, size = hashlib.sha256(), 0

        def copy(descriptor: int) -> None:
            nonlocal size
            for piece in itertools.chain([first], iter(lambda: stream.read(PIECE), b"")):
                digest.update(piece)
                size += len(piece)
                write_all(descriptor, piece)
            os.fsync(descriptor)  # now, while other threads hash, so that `commit` has little to do

        temporary = write_temporary(self._store.root, copy)
        blob = Blob(digest.hexdigest(), size)
        self._keep(blob, self._shared(blob.sha256, temporary))
        return blob

    def _shared(self, sha256: str, temporary: Path) -> Path:
        """Replace `temporary` with a hard link to the same content in another store, if there is an undamaged one;
        return the path."""
        twin = self._store.twin(sha256)
        if twin is None:
            return temporary
        linked = temporary.with_name(f"{temporary.name}-linked")
        try:
            linked.hardlink_to(twin)
        except OSError:  # another file system, too many links, or removed meanwhile; the copy is used instead
            return temporary
        temporary.unlink()
        return linked

    def _keep(self, blob: Blob, temporary: Path) -> None:
        with self._lock:
            if not self._known(blob.sha256):
                self._waiting[blob.sha256] = temporary
                return
        temporary.unlink()

    def _keeps_one_of(self, size: int) -> bool:
        with self._lock:
            if self._sizes is None:
                self._sizes = {blob.size for blob in self._store.all()}
            return size in self._sizes

    def _known(self, sha256: str) -> bool:
        """Return whether the content is already stored. If the stored copy is damaged, return False, so that it is
        replaced."""
        return sha256 in self._waiting or self._store.intact(sha256)

    def commit(self) -> None:
        """Make everything durable: contents first, then names, then folders."""
        with (
            self._store.committing
        ):  # even if nothing is waiting: blobs that were found may belong to another, unfinished batch
            if not self._waiting:
                return
            sync_files(self._waiting.values())
            folders = {self._store.root}
            for sha256, temporary in self._waiting.items():
                folders.add(self._store.new_folder(sha256))
                temporary.replace(self._store.path(sha256))
                temporary.unlink(missing_ok=True)  # renaming onto a link to the same file keeps both names
            self._waiting.clear()
            sync_folders(folders)

    def discard(self) -> None:
        """Remove everything that was not committed."""
        for temporary in self._waiting.values():
            temporary.unlink(missing_ok=True)
