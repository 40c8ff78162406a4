"""A stream over bytes that arrive in pieces, such as the body of a request."""

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["Pieces"]


class Pieces(io.RawIOBase):
    """Reads `pieces` one after the other, and calls `told` with the number of bytes read so far."""

    def __init__(self, pieces: Iterator[bytes], told: Callable[[int], None]) -> None:
        self._pieces = pieces
        self._told = told
        self._rest = memoryview(b"")
        self.count = 0
        """The number of bytes read so far."""

    def readable(self) -> bool:
        """Return True, because the stream can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read into `buffer`; return 0 at the end of the last piece."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        target = memoryview(buffer).cast("B")
        taken = min(len(target), len(self._rest))
        target[:taken], self._rest = self._rest[:taken], self._rest[taken:]
        self.count += taken
        self._told(self.count)
        return taken
