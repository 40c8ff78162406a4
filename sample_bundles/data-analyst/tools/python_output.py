"""Captures a cell's output: passes it on immediately, and keeps it for the result up to a limit."""

import io
from typing import TextIO

__all__ = ["Output", "shortened"]

_KEPT = 200_000
"""The number of characters kept from the beginning and from the end; the result contains fewer."""


class Output(io.TextIOBase):
    """A stream that passes text on to `behind` and remembers its beginning and its end."""

    def __init__(self, behind: TextIO | None) -> None:
        super().__init__()
        self._behind = behind
        self._head: list[str] = []
        self._tail: list[str] = []
        self._head_length = self._tail_length = 0
        self._dropped = 0

    def writable(self) -> bool:
        """See `io.TextIOBase`."""
        return True

    def write(self, text: str) -> int:
        """See `io.TextIOBase`."""
        if self._behind is not None:
            self._behind.write(text)
        room = _KEPT - self._head_length
        if room > 0:
            self._head.append(text[:room])
            self._head_length += len(text[:room])
        if len(text) > room:
            rest = text[max(0, room) :][-_KEPT:]
            self._dropped += len(text) - max(0, room) - len(rest)
            self._tail.append(rest)
            self._tail_length += len(rest)
            if self._tail_length > 2 * _KEPT:
                joined = "".join(self._tail)
                self._dropped += len(joined) - _KEPT
                self._tail, self._tail_length = [joined[-_KEPT:]], _KEPT
        return len(text)

    def flush(self) -> None:
        """See `io.TextIOBase`."""
        if self._behind is not None:
            self._behind.flush()

    def text(self, most: int) -> str:
        """Return the written text, shortened to about `most` characters."""
        return shortened("".join(self._head), most, "".join(self._tail), self._dropped)

    @property
    def length(self) -> int:
        """The number of characters written."""
        return self._head_length + self._tail_length + self._dropped


def shortened(head: str, most: int, tail: str = "", dropped: int = 0) -> str:
    """Return a text's beginning and end, with a note between them about how many characters are left out."""
    whole = head + tail
    if not dropped and len(whole) <= most:
        return whole
    first, last = most * 2 // 3, most // 3
    left_out = len(whole) + dropped - first - last
    end = whole[len(whole) - last :] if last else ""
    return f"{whole[:first]}\n… {left_out:,} characters are left out here …\n{end}"
