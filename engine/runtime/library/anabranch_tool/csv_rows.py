"""Reads an inconsistent CSV file line by line, so that no row is lost without being reported.

The result is a second, consistent file, and a description of the changes.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anabranch_tool import progress
from anabranch_tool.csv_dialect import Dialect
from anabranch_tool.table_blocks import block_note
from anabranch_tool.table_shape import is_footer, quoted

__all__ = ["Irregular", "rewrite_rows"]

_LONGEST_RECORD = 1 << 20
_MOST_LINES = 500
"""If one record has more lines than this, it contains a quotation mark that is never closed."""
_TOLD = 3
_AT_ONCE = 20_000
_REMARKS = 20


@dataclass(slots=True)
class _Lines:
    """Lines of one kind: their count, the line numbers of the first lines, and the text of one line."""

    count: int = 0
    numbers: list[int] = field(default_factory=list)
    example: str = ""

    def add(self, number: int, text: str) -> None:
        """Count one more line."""
        self.count += 1
        if len(self.numbers) < _TOLD:
            self.numbers.append(number)
        self.example = self.example or quoted(text)

    def told(self) -> str:
        """Return the line numbers and the text of one line, for use in a sentence."""
        listed = ", ".join(f"{number:,}" for number in self.numbers)
        more = " and more" if self.count > len(self.numbers) else ""
        one = ", for example" if self.count > 1 else ":"
        return f"line{'s' if self.count > 1 else ''} {listed}{more}{one} “{self.example}”."


@dataclass(slots=True)
class Irregular:
    """The irregularities of a file."""

    too_many: _Lines = field(default_factory=_Lines)
    too_few: _Lines = field(default_factory=_Lines)
    unclosed: _Lines = field(default_factory=_Lines)
    remarks: _Lines = field(default_factory=_Lines)
    empty: int = 0
    other: str = ""
    """A sentence about another table below this one."""

    def losses(self, width: int) -> list[str]:
        """Return sentences about values that were dropped from the table or added to it."""
        told = []
        if many := self.too_many.count:
            told.append(
                f"{_count(many)} more than {width} values and {'are' if many > 1 else 'is'} left out: "
                f"{self.too_many.told()}"
            )
        if few := self.too_few.count:
            told.append(
                f"{_count(few)} fewer than {width} values; the last ones are empty: {self.too_few.told()}"
            )
        if unclosed := self.unclosed.count:
            told.append(
                f"{_count(unclosed)} a quotation mark that is never closed; it is read as a character: "
                f"{self.unclosed.told()}"
            )
        if remarks := self.remarks.count:
            told.append(
                f"{remarks} line{'s' if remarks > 1 else ''} below the table "
                f"{'are' if remarks > 1 else 'is'} left out: "
                f"“{self.remarks.example}”."
            )
        if self.empty:
            rows = (
                "1 row without any value is"
                if self.empty == 1
                else f"{self.empty:,} rows without any value are"
            )
            told.append(f"{rows} left out.")
        if self.other:
            told.append(self.other)
        return told


def _count(lines: int) -> str:
    return f"{lines:,} lines have" if lines > 1 else "1 line has"


def rewrite_rows(file: Path, dialect: Dialect, target: Path) -> Irregular:
    """Write the rows of `file` to `target` with commas, double quotation marks, and as many values in each row as there
    are columns.
    """
    seen = Irregular()
    size = max(1, file.stat().st_size)
    # a carriage return without a line feed ends a line too; only Python's default mode splits all three kinds
    with (
        file.open(encoding="utf-8", errors="replace", newline=None) as source,
        target.open("w", encoding="utf-8", newline="") as plain,
    ):
        writer = csv.writer(plain, lineterminator="\n")
        batch: list[list[str]] = []
        done = 0
        for number, text, row in _fitting(_records(source, dialect, seen), dialect, seen):
            done += len(text)
            batch.append(row)
            if len(batch) >= _AT_ONCE:
                writer.writerows(batch)
                batch.clear()
                progress(done / size / 2, f"Reading line {number:,}")
        writer.writerows(batch)
    return seen


def _fitting(
    records: Iterable[tuple[int, str, list[str]]], dialect: Dialect, seen: Irregular
) -> Iterator[tuple[int, str, list[str]]]:
    """Yield rows with as many values as the header. Rows that may be remarks are held back until it is known whether a
    full row follows.

    Rows of another table below this one are not yielded.
    """
    held: list[tuple[int, str, list[str]]] = []
    width = len(dialect.names)
    after_blank, empty = False, 0
    for number, text, cells in records:
        if not any(cell.strip() for cell in cells):
            empty += width > 1 and len(cells) > 1
            after_blank = True
            continue
        if (after_blank or (held and len(held) <= _REMARKS)) and dialect.shape.ends_before(cells):
            titled = [row for row in held if len([cell for cell in row[2] if cell.strip()]) == 1]
            seen.other = block_note(titled[0][0] if titled else number, cells)
            held = held[: len(held) - len(titled)]
            break
        seen.empty, empty = seen.empty + empty, 0
        row = cells if any(cell.strip() for cell in cells[width:]) else cells[:width]
        remark = (
            is_footer(row, after_blank, width) or len(row) == 1 < width - 1 or (held and len(row) < width)
        )
        after_blank = False
        held = [*held, (number, text, row)] if remark else held
        if remark and len(held) <= _REMARKS:
            continue
        yield from _padded(held, width, seen)
        held = []
        if not remark and len(row) > width:
            seen.too_many.add(number, text)
        elif not remark:
            yield from _padded([(number, text, row)], width, seen)
    seen.empty += 0 if seen.other else empty
    for number, text, _ in held:
        seen.remarks.add(number, text)


def _padded(
    held: Iterable[tuple[int, str, list[str]]], width: int, seen: Irregular
) -> Iterator[tuple[int, str, list[str]]]:
    for number, text, row in held:
        if len(row) < width:
            seen.too_few.add(number, text)
        yield number, text, [*row, *[""] * (width - len(row))]


def _records(lines: Iterable[str], dialect: Dialect, seen: Irregular) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each record with the number of its first line and its text."""
    options: dict[str, Any] = {
        "delimiter": dialect.delimiter,
        "quotechar": dialect.quote,
        "doublequote": dialect.escape == dialect.quote,
        "escapechar": None if dialect.escape == dialect.quote else dialect.escape,
    }
    pending: list[tuple[int, str]] = []
    length = 0
    for number, line in enumerate(lines, 1):
        if number <= dialect.skipped:
            continue
        if not pending and (dialect.quote not in line or _state(line, dialect) != "open"):
            yield number, line, _parsed(line, dialect, options)
            continue
        pending.append((number, line))
        length += len(line)
        if len(pending) == 1:
            continue
        state = "open" if dialect.quote not in line else _state("".join(text for _, text in pending), dialect)
        if state == "closed":
            text = "".join(text for _, text in pending)
            yield pending[0][0], text, _parsed(text, dialect, options)
            pending, length = [], 0
        elif state == "broken" or len(pending) > _MOST_LINES or length > _LONGEST_RECORD:
            yield from _unclosed(pending, dialect, options, seen)
            pending, length = [], 0
    yield from _unclosed(pending, dialect, options, seen)


def _unclosed(
    pending: list[tuple[int, str]], dialect: Dialect, options: dict[str, Any], seen: Irregular
) -> Iterator[tuple[int, str, list[str]]]:
    """Read the lines in `pending`. In a line with a quotation mark that is never closed, quotation marks are ordinary
    characters; other lines are read normally.
    """
    for number, line in pending:
        if _state(line, dialect) != "open":
            yield number, line, _parsed(line, dialect, options)
        else:
            seen.unclosed.add(number, line)
            yield number, line, _literally(line, dialect)


def _state(text: str, dialect: Dialect) -> str:
    """Return whether the quotation marks in `text` are closed, open, or broken (text follows a closing mark).

    In a value that does not begin with a quotation mark, quotation marks are ordinary characters.
    """
    inside, at_start, index, broken = False, True, 0, False
    quote, escape = dialect.quote, dialect.escape
    while index < len(text):
        sign = text[index]
        if inside:
            if escape != quote and sign == escape:
                index += 1
            elif sign == quote:
                if escape == quote and text[index + 1 : index + 2] == quote:
                    index += 1
                else:
                    inside = False
                    after = (
                        text[index + 1 :].lstrip(" ")[:1]
                        if text[index + 1 : index + 2] == " "
                        else text[index + 1 : index + 2]
                    )
                    broken = broken or after not in ("", "\n", dialect.delimiter)
        elif sign == quote and at_start:
            inside = True
        at_start = not inside and sign in (dialect.delimiter, "\n")
        index += 1
    return "broken" if broken else "open" if inside else "closed"


def _parsed(text: str, dialect: Dialect, options: dict[str, Any]) -> list[str]:
    csv.field_size_limit(_LONGEST_RECORD * 16)
    row = next(csv.reader(text.splitlines(keepends=True), **options), [])
    if dialect.quote in text and _state(text, dialect) == "broken":
        literal = _literally(text, dialect)
        return literal if len(literal) == len(dialect.names) else row
    return row


def _literally(line: str, dialect: Dialect) -> list[str]:
    return line.rstrip("\n").split(dialect.delimiter)
