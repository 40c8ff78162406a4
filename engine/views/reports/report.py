"""A report as plain data: its parts, and the sources of their numbers. Writers turn it into HTML or Markdown."""

import json
import re
from datetime import datetime
from typing import TypeAlias

from engine.rendering.column_codes import is_code
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "CallFact",
    "CodePart",
    "FigurePart",
    "HeadingPart",
    "MarkedNumber",
    "NotePart",
    "Part",
    "PicturePart",
    "Report",
    "SourceFact",
    "TablePart",
    "TextPart",
    "cell_text",
]

_SCALE = re.compile(r"DECIMAL\(\d+,\s*(\d+)\)$")


@dataclass(frozen=True, slots=True)
class MarkedNumber:
    """A number that is marked in a text, with its origin."""

    text: str
    status: str
    """The status: `exact`, `derived`, `stale`, `unclear` or `unbacked`."""
    words: str
    """The status in words."""
    source: str
    """The source in words: the result, row and column, or the formula."""
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class HeadingPart:
    """A question, or a heading by the user."""

    text: str


@dataclass(frozen=True, slots=True)
class TextPart:
    """Markdown, in which each marked number is `OPEN index SHUT text END` (see `marks`)."""

    markdown: str
    numbers: tuple[MarkedNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class TablePart:
    """The first rows of a result."""

    title: str
    columns: tuple[tuple[str, str], ...]
    """The name and DuckDB type of each column."""
    rows: tuple[tuple[JSON, ...], ...]
    total: int
    """The number of rows of the whole result."""
    csv: bytes | None
    """The whole result; None if it is too large to be embedded."""
    notes: tuple[str, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class FigurePart:
    """A chart as a picture, with the rows that it draws."""

    title: str
    svg: bytes
    png: bytes
    rows: tuple[JSONObject, ...]
    notes: tuple[str, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A picture that a tool made."""

    title: str
    media_type: str
    data: bytes
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class CodePart:
    """A text in a programming or markup language, such as a file that a tool wrote."""

    title: str
    language: str
    text: str
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class NotePart:
    """A note about something that is not in the report, with the reason."""

    text: str


Part: TypeAlias = HeadingPart | TextPart | TablePart | FigurePart | PicturePart | CodePart | NotePart


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A file that calls of the report read."""

    path: str
    sha256: str
    size: int
    """The size in bytes."""
    rows: int | None = None
    columns: int | None = None


@dataclass(frozen=True, slots=True)
class CallFact:
    """A call whose result is in the report, or an earlier call behind it."""

    call_id: str
    tool: str
    version: str
    """The toolset and its version."""
    language: str
    program: str
    """The SQL or code; "" for a tool that has neither."""
    arguments: str
    """The arguments as JSON."""
    inputs: tuple[str, ...]
    position: int
    finished_at: datetime | None
    """The time in UTC."""
    verdict: str
    """The result of the last re-run, in words; "" if the call never ran again."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report's writer needs."""

    title: str
    subtitle: str
    parts: tuple[Part, ...]
    sources: tuple[SourceFact, ...]
    calls: tuple[CallFact, ...]
    position: int
    """The log's last position when the report was made."""
    chain_hash: str
    """The hash of the event at `position`."""
    made_at: datetime
    """The time in UTC."""

    @property
    def numbers(self) -> tuple[MarkedNumber, ...]:
        """The marked numbers of all texts, in order."""
        return tuple(number for part in self.parts if isinstance(part, TextPart) for number in part.numbers)


def cell_text(value: JSON, column: str = "", kind: str = "") -> str:
    """Return a cell as readable text: with thousands separators, unless the column contains codes, and up to 10
    significant digits.

    `kind` is the column's DuckDB type: a DECIMAL is shown with at least two of its decimals.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value, kind, "" if is_code(column) else ",")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _number(value: float, kind: str, separator: str) -> str:
    if scale := _SCALE.match(kind):
        text = f"{value:{separator}.{scale[1]}f}"
        least = len(text.partition(".")[0]) + 3
        return text[:least] + text[least:].rstrip("0")
    if isinstance(value, int):
        return f"{value:{separator}}"
    if value == 0 or not 1e-5 <= abs(value) < 1e16:
        return f"{value:.10g}"
    text = f"{value:{separator}.{max(0, 9 - _magnitude(value))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _magnitude(value: float) -> int:
    """Return the power of ten of a number's first digit."""
    return int(f"{abs(value):e}".partition("e")[2])
