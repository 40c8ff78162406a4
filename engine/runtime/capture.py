"""Captures the beginning and the end of a process's output, within a limit. The output can be read while the process
runs.
"""

import codecs

__all__ = ["Capture"]


class Capture:
    """Collects bytes and returns text."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 4
        self._tail_limit = limit // 4
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return self._dropped > 0

    def feed(self, data: bytes) -> str:
        """Accept `data`; return the text to show now. When the limit for the beginning is reached, no more text is
        returned."""
        room = self._head_limit - len(self._head)
        shown = data[:room]
        self._head += shown
        self._tail += data[len(shown) :]
        excess = len(self._tail) - self._tail_limit
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess
        return self._decoder.decode(shown) if shown else ""

    def text(self) -> str:
        """Return everything that was captured, with a line that says how much is missing."""
        if not self._dropped:
            return (self._head + self._tail).decode(errors="replace")
        head, tail = self._head.decode(errors="replace"), self._tail.decode(errors="replace")
        return f"{head}\n… {self._dropped:,} bytes are left out here …\n{tail}"
