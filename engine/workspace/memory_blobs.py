"""The blob store in memory, for tests and for data that need not outlive the process."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import BinaryIO

from engine.workspace.blobs import Blob, BlobBatch, BlobStore, missing_blob
from engine.workspace.durable import write_all

__all__ = ["MemoryBlobs"]


class MemoryBlobs(BlobStore):
    """Blobs in a dict."""

    def __init__(self, blobs: Mapping[str, bytes] | None = None) -> None:
        self._blobs = dict(blobs or {})

    @contextmanager
    def batch(self) -> Iterator[BlobBatch]:
        """See `BlobStore.batch`."""
        batch = _MemoryBatch()
        yield batch
        self._blobs.update(batch.blobs)

    def has(self, sha256: str) -> bool:
        """See `BlobStore.has`."""
        return sha256 in self._blobs

    def open(self, sha256: str) -> BinaryIO:
        """See `BlobStore.open`."""
        if sha256 not in self._blobs:
            raise missing_blob(sha256)
        return BytesIO(self._blobs[sha256])

    def copy_to(self, sha256: str, descriptor: int) -> None:
        """See `BlobStore.copy_to`."""
        with self.open(sha256) as stream:
            write_all(descriptor, stream.read())

    def all(self) -> Iterator[Blob]:
        """See `BlobStore.all`."""
        return (Blob(sha256, len(data)) for sha256, data in sorted(self._blobs.items()))

    def link_from(self, other: BlobStore, hashes: Iterable[str]) -> tuple[str, ...]:
        """See `BlobStore.link_from`."""
        wanted = [sha256 for sha256 in dict.fromkeys(hashes) if not self.has(sha256)]
        for sha256 in wanted:
            if other.has(sha256):
                self._blobs[sha256] = other.read(sha256)
        return tuple(sha256 for sha256 in wanted if not self.has(sha256))

    def remove(self, hashes: Iterable[str]) -> tuple[int, int]:
        """See `BlobStore.remove`."""
        gone = [self._blobs.pop(sha256) for sha256 in set(hashes) if sha256 in self._blobs]
        return len(gone), sum(map(len, gone))


class _MemoryBatch:
    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}

    def put_bytes(self, data: bytes) -> Blob:
        blob = Blob(hashlib.sha256(data).hexdigest(), len(data))
        self.blobs[blob.sha256] = data
        return blob

    def put_stream(self, stream: BinaryIO) -> Blob:
        return self.put_bytes(stream.read())
