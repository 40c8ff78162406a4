"""Detects the format of a CSV file from its first lines: delimiter, quotation marks, and the line of the header."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anabranch_tool.header_rows import header_of
from anabranch_tool.table_blocks import GrowingShape, Shape
from anabranch_tool.table_shape import column_names, is_footer, quoted

__all__ = ["Dialect", "find_dialect", "parsed"]

_HEAD = 1 << 20
_DELIMITERS = ",;\t|"
_COMPARED = 64 << 10
"""The number of characters that are read to compare delimiters."""
_RECORDS = 2_000
_QUOTES = re.compile(r"""(?:^|[,;\t|])\s*'[^'\n]*'\s*(?:[,;\t|]|$)""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Everything that is needed to read the rows."""

    delimiter: str
    quote: str
    escape: str
    """The character before a quotation mark inside a value: another quotation mark, or a backslash."""
    skipped: int
    """The number of physical lines before the first row."""
    names: tuple[str, ...]
    blank: bool
    """Whether the last column has no name."""
    notes: tuple[str, ...] = ()
    certain: bool = True
    """Whether all of the first lines have as many values as the header."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The first rows."""
    shape: Shape = field(default_factory=lambda: Shape(()))
    """The typical form of the rows, taken from the first rows."""
    several: bool = False
    """Whether another table begins below this table."""


def parsed(text: str, delimiter: str, quote: str, escape: str) -> list[tuple[int, list[str]]]:
    """Return the records of `text`, each with the number of physical lines up to its end."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quotechar=quote,
        doublequote=escape == quote,
        escapechar=None if escape == quote else escape,
    )
    records: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            records.append((reader.line_num, row))
            if len(records) >= _RECORDS:
                break
    except csv.Error:
        pass  # the records before the broken one are enough to detect the dialect
    return records


def find_dialect(file: Path, delimiter: str | None = None) -> Dialect:
    """Return the dialect of `file`, a UTF-8 text; `delimiter` is the delimiter that its name suggests.

    Raises:
        ValueError: the file is empty.
    """
    with file.open("rb") as stream:
        data = stream.read(_HEAD)
        whole = len(data) < _HEAD
    text = data.decode("utf-8", "ignore")
    if not whole:
        text = text[: max(text.rfind("\n"), 0)] or text
    if not text.strip():
        raise ValueError("it is empty")
    told = re.match(r"(?i)\"?sep=(.)\"?\r?\n", text)
    if told:
        delimiter = told[1]
    quote, escape = _quotes(text)
    delimiter = delimiter if delimiter and (told or _share(text, delimiter, quote, escape) > 0) else None
    delimiter = delimiter or _delimiter(text, quote, escape)
    return _with_header(parsed(text, delimiter, quote, escape), delimiter, quote, escape, bool(told))


def _quotes(text: str) -> tuple[str, str]:
    """Return the quotation mark, and how it is written inside a value."""
    if "'" in text and '"' not in text and len(_QUOTES.findall(text)) > 1:
        return "'", "'"
    backslash = '\\"' in text and re.search(r'[^\\]\\"[^,;\t|\r\n]', text) is not None and '""' not in text
    return '"', "\\" if backslash else '"'


def _share(text: str, delimiter: str, quote: str, escape: str) -> float:
    """Return a score for how well `delimiter` splits the lines. The score grows with the share of records that have the
    most frequent number of values, and slightly with this number itself.
    """
    if delimiter not in text[:_COMPARED]:
        return 0.0
    records = [
        row
        for _, row in parsed(text[:_COMPARED], delimiter, quote, escape)
        if any(cell.strip() for cell in row)
    ]
    counted = Counter(len(row) for row in records if len(row) > 1)
    if not counted:
        return 0.0
    width, many = max(counted.items(), key=lambda item: (item[1], item[0]))
    return (many / len(records)) ** 2 * (1 + min(width, 20) / 100)


def _delimiter(text: str, quote: str, escape: str) -> str:
    shares = {mark: _share(text, mark, quote, escape) for mark in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda mark: shares[mark])
    return best if shares[best] > 0 else ","


def _with_header(
    records: Sequence[tuple[int, list[str]]], delimiter: str, quote: str, escape: str, told: bool
) -> Dialect:
    ends = [end for end, _ in records]
    rows = [row or [""] for _, row in records]
    start = begin = 1 if told else 0
    while begin < len(rows) and not any(cell.strip() for cell in rows[begin]):
        begin += 1
    found, header, joined = header_of(rows[begin:])
    first = begin + found.first
    body, several = _first_table(header, rows[first:])
    counted = Counter(len(row) for row in body)
    common = max(counted, key=lambda cells: (counted[cells], cells), default=len(header))
    notes = _titles(rows[start : first - (found.row is not None) - bool(joined)]) + joined
    header, names_shifted = _shifted(header, body, common)
    notes += names_shifted
    width = _width(header, body, common)
    if found.row is None:
        names, more = [f"column{n + 1}" for n in range(width)], ["There is no header; columns are numbered."]
    else:
        names, more = column_names(header, width)
    blank = found.row is not None and (len(header) < width or not header[-1].strip()) and width > 1
    if blank:
        more = [note for note in more if note != f"The header has no name for {names[-1]}."]
    return Dialect(
        delimiter,
        quote,
        escape,
        ends[first - 1] if first else 0,
        tuple(names),
        blank,
        (*notes, *more),
        all(len(row) == width for row in body),
        tuple(tuple(row) for row in body),
        Shape.of(names, body),
        several,
    )


def _width(header: Sequence[str], body: Sequence[Sequence[str]], common: int) -> int:
    if not header:
        return common
    if common == len(header) + 1 and all(not row[-1].strip() for row in body if len(row) == common):
        return common  # every row ends with a delimiter, but the header does not
    return len(header)


def _first_table(header: Sequence[str], rows: Sequence[list[str]]) -> tuple[list[list[str]], bool]:
    """Return the rows that have values, up to the next table, and whether there is a next table. Remarks at the end are
    left out.
    """
    body: list[list[str]] = []
    after_blank: list[bool] = []
    apart = blank = several = False
    shape = GrowingShape(header)
    for row in rows:
        if not any(cell.strip() for cell in row):
            apart = blank = True
            continue
        if apart and header and shape.ends_before(row, body):
            several = True
            break
        apart = apart and len([cell for cell in row if cell.strip()]) == 1
        body.append(row)
        after_blank.append(blank)
        blank = False
    while len(body) > 1 and is_footer(body[-1], after_blank[-1], len(header)):
        body.pop()
        after_blank.pop()
    return body, several


def _shifted(header: list[str], body: Sequence[Sequence[str]], common: int) -> tuple[list[str], list[str]]:
    """If the header has one name fewer than the rows have values, add a name for the first value. R writes such
    files.
    """
    full = [row for row in body if len(row) == common]
    if not header or common != len(header) + 1 or len(full) < max(2, len(body) * 0.9):
        return header, []
    if not any(row[-1].strip() for row in full):
        return header, []
    return ["row", *header], [
        "The rows have one more value than the header has names, so the first column is named “row”."
    ]


def _titles(rows: Sequence[Sequence[str]]) -> list[str]:
    told = [" ".join(cell.strip() for cell in row if cell.strip()) for row in rows]
    told = [title for title in told if title]
    blank = sum(len(row) > 1 and not any(cell.strip() for cell in row) for row in rows)
    if not told:
        lines = "1 blank line" if blank == 1 else f"{blank} blank lines"
        return [f"{lines} above the header {'is' if blank == 1 else 'are'} left out."] if blank else []
    shown = ", ".join(f"“{quoted(title, 60)}”" for title in told[:3])
    count = len(told) + blank
    lines = "1 line above the header is" if count == 1 else f"{count} lines above the header are"
    return [f"{lines} left out: {shown}."]
