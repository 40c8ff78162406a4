"""A blob store on top of another blob store. It reads from both stores, and writes new content only to the
upper one.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO

from engine.workspace.blobs import Blob, BlobBatch, BlobStore

__all__ = ["ScratchBlobs"]


class ScratchBlobs(BlobStore):
    """Stores new content in `own`. Content that is not in `own` is read from `under`, which is never changed."""

    def __init__(self, own: BlobStore, under: BlobStore) -> None:
        self._own = own
        self._under = under

    def batch(self) -> AbstractContextManager[BlobBatch]:
        """See `BlobStore.batch`."""
        return self._own.batch()

    def has(self, sha256: str) -> bool:
        """See `BlobStore.has`."""
        return self._own.has(sha256) or self._under.has(sha256)

    def open(self, sha256: str) -> BinaryIO:
        """See `BlobStore.open`."""
        return self._of(sha256).open(sha256)

    def copy_to(self, sha256: str, descriptor: int) -> None:
        """See `BlobStore.copy_to`."""
        self._of(sha256).copy_to(sha256, descriptor)

    def all(self) -> Iterator[Blob]:
        """See `BlobStore.all`."""
        own = {blob.sha256: blob for blob in self._own.all()}
        yield from own.values()
        yield from (blob for blob in self._under.all() if blob.sha256 not in own)

    def link_from(self, other: BlobStore, hashes: Iterable[str]) -> tuple[str, ...]:
        """See `BlobStore.link_from`."""
        return self._own.link_from(other, [sha256 for sha256 in hashes if not self._under.has(sha256)])

    def remove(self, hashes: Iterable[str]) -> tuple[int, int]:
        """See `BlobStore.remove`; the store below is not changed."""
        return self._own.remove(hashes)

    def _of(self, sha256: str) -> BlobStore:
        return self._own if self._own.has(sha256) else self._under
