"""Separates the workings block from the text of a reply while the reply arrives in pieces. Pure.

A model ends its answer with a fenced block in which it says how it computed numbers (TIM-11). The block is not part of
the text: it is recorded and sent back to the model as it was written, but never shown as text.
"""

import re
from collections.abc import Iterator
from typing import Literal

__all__ = ["Piece", "WorkingsStream"]

Piece = tuple[Literal["text", "workings"], str]
"""The kind of a piece of a reply, and its text."""

_OPENS = re.compile(r"\n[ \t]{0,8}(`{3,20}|~{3,20})[ \t]{0,8}workings?[ \t]{0,8}\n", re.IGNORECASE)
_MAY_OPEN = re.compile(r"[ \t]{0,8}(?:(?:`{1,20}|~{1,20})[ \t]{0,8}[a-z]{0,8}[ \t]{0,8})?", re.IGNORECASE)
"""A line that may become the first line of a block."""
_MOST_HELD = 2_000
"""The number of characters of blank space that are held back before a possible block."""


class WorkingsStream:
    """Splits text into the reply's own text and its workings blocks. The pieces together are the whole text."""

    def __init__(self) -> None:
        self._held = "\n"
        """The text that is not yet passed on. It begins with a line feed that is not part of the reply."""
        self._begun = False
        self._closes: re.Pattern[str] | None = None
        """Matches the end of the open block; None outside a block."""
        self._searched = 0
        """The end of the block has already been searched for up to this position."""

    def add(self, text: str) -> Iterator[Piece]:
        """Accept more text, and yield the pieces that are certain."""
        self._held += text
        while (found := self._block() if self._closes else self._text()) is not None:
            yield from found

    def end(self) -> Iterator[Piece]:
        """Yield the text that was held back, at the end of the input."""
        yield from self.add("\n")
        kind: Literal["text", "workings"] = "workings" if self._closes else "text"
        self._held = self._held.removesuffix("\n")
        yield from self._taken(kind, len(self._held))

    def _text(self) -> Iterator[Piece] | None:
        """If a block begins, open it and return the text before it. Otherwise return the text that cannot be part of a
        block.
        """
        held = self._held
        if (opened := _OPENS.search(held)) is not None:
            before = len(held[: opened.start()].rstrip())
            pieces = self._taken("text", before)
            self._closes = re.compile(rf"\n[ \t]{{0,8}}{opened[1]}[ \t]{{0,8}}(?=\n)")
            self._searched = opened.end() - before - 1
            return pieces
        line = held.rfind("\n") + 1
        may_open = _MAY_OPEN.fullmatch(held, line) is not None
        certain = len((held[:line] if may_open else held).rstrip())
        if len(held) - certain > _MOST_HELD:
            certain = len(held) - 1
        return self._taken("text", certain) if certain else None

    def _block(self) -> Iterator[Piece] | None:
        """If the open block ends, close it and return it."""
        assert self._closes is not None
        closed = self._closes.search(self._held, self._searched)
        if closed is None:
            self._searched = max(self._searched, self._held.rfind("\n"))
            return None
        self._closes = None
        return self._taken("workings", closed.end())

    def _taken(self, kind: Literal["text", "workings"], size: int) -> Iterator[Piece]:
        piece, self._held = self._held[:size], self._held[size:]
        if not self._begun and piece:
            self._begun, piece = True, piece[1:]
        return iter([(kind, piece)] if piece else [])
