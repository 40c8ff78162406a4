"""A text as stored in a file: its encoding, byte order mark and line endings, which an edit must preserve."""

import re
from dataclasses import dataclass

__all__ = ["TextFile", "Unwritable", "equal_ends", "text_file"]

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_NAMES = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
}
_ENDS = re.compile(r"\r\n|\r|\n")


class Unwritable(Exception):
    """A text contains a character that its file's encoding cannot store; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's text, with the facts needed to write it back."""

    text: str
    """The text with a line feed at the end of each line, as in a browser's text field."""
    whole: str
    """The text with the line endings of the file."""
    encoding: str
    mark: bytes
    """The byte order mark of the file, or nothing."""
    is_whole: bool
    """Whether every byte could be decoded: saving then writes the same bytes."""

    def written(self, text: str) -> bytes:
        """Return the bytes of the file with the new `text`; unchanged lines keep their line ends, other lines get the
        most common one.

        Raises:
            Unwritable: the encoding cannot store a character.
        """
        kept, lines = _lines(self.whole), _lines(text)
        first, last = equal_ends(_lines(self.text), lines)
        end = self._end()
        between = [
            f"{line[:-1]}{end}" if line.endswith("\n") else line for line in lines[first : -last or None]
        ]
        whole = "".join([*kept[:first], *between, *kept[len(kept) - last :]])
        try:
            return self.mark + whole.encode(self.encoding)
        except UnicodeEncodeError as error:
            sign = whole[error.start]
            raise Unwritable(
                f"This file is in {_NAMES[self.encoding]}, which cannot store “{sign}”. Remove this character, "
                "then save."
                if sign.isprintable()
                else f"The text contains half a character (U+{ord(sign):04X}). Remove it, then save."
            ) from None

    def _end(self) -> str:
        ends = _ENDS.findall(self.whole)
        return max(("\n", "\r\n", "\r"), key=ends.count)


def text_file(data: bytes) -> TextFile | None:
    """Return the text of a file; None if it is not text. Bytes that cannot be decoded become U+FFFD."""
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    if not encoding.startswith("utf-16") and b"\0" in data[:65_536]:
        return None
    bare, is_whole = data[len(mark) :], True
    try:
        whole = bare.decode(encoding)
    except UnicodeDecodeError:
        mark, bare = (mark, bare) if encoding != "utf-8" else (b"", data)
        encoding = encoding if encoding != "utf-8" else "cp1252"
        whole = bare.decode(encoding, "replace")
        is_whole = whole.encode(encoding, "replace") == bare
    return TextFile(_ENDS.sub("\n", whole), whole, encoding, mark, is_whole and "\0" not in whole)


def equal_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning of both texts, and how many of the remaining ones at the
    end.
    """
    shorter = min(len(before), len(after))
    first = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = shorter - first
    last = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    return first, last


def _lines(text: str) -> list[str]:
    """Return the lines with their ends. Only line feeds and carriage returns separate lines."""
    parts = _ENDS.split(text)
    ends = [*_ENDS.findall(text), ""]
    lines = [f"{part}{end}" for part, end in zip(parts, ends, strict=True)]
    return lines if lines[-1] else lines[:-1]
