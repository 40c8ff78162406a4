"""Finds where a table begins in rows of cells: finds the header, and excludes title lines above it and notes below the
table. Used for both CSV files and sheets of workbooks.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anabranch_tool.column_dates import is_date
from anabranch_tool.column_numbers import Number

__all__ = [
    "TOTAL",
    "Header",
    "are_names",
    "column_names",
    "filled_cells",
    "find_header",
    "is_blank",
    "is_data",
    "is_footer",
    "quoted",
    "total_note",
]

_WITHIN = 30
"""The number of rows that are searched for a header; titles and notes may be above it."""
_COUNTED = 500
"""The number of rows that are used to determine how many columns there are."""
_FOOTER = re.compile(
    r"(?i)\s*(source|sources|note|notes|quelle|quellen|hinweis|anmerkung|generated|exported|erstellt|created|stand|"
    r"as of|last update|copyright|footnote|end of|\*|©|\(c\)|¹|1\))"
)
_LABEL = re.compile(
    r"(?i)\s*(data )?(sources?|notes?|quellen?|hinweise?|anmerkung(en)?|fuente|fonte|bron|remarks?)\s*:"
)
TOTAL = "The last row looks like a total"
_TOTAL = re.compile(
    r"(?i)\s*(grand |sub)?-?(total|totals|sum|summe|gesamt|gesamtsumme|insgesamt|zwischensumme|overall|"
    r"totale|totaal|suma|somme|summa|razem|итого|всего|合計|总计|總計|yhteensä|celkem|összesen|toplam|end(saldo|summe))\b"
)


@dataclass(frozen=True, slots=True)
class Header:
    """The place of the header."""

    row: int | None
    """The index of the header row; None if the rows have no header."""
    first: int
    """The index of the first row of data."""


def find_header(rows: Sequence[Sequence[Any]]) -> Header:
    """Return the header of `rows`: the first row above the data that names nearly all columns.

    Rows above it with fewer cells are titles. If no row contains names, the first full row is data.
    """
    width = _width(rows[:_COUNTED])
    data = next(
        (
            at
            for at, row in enumerate(rows)
            if len(filled_cells(row)) > width / 2 and not are_names(filled_cells(row))
        ),
        min(len(rows), _WITHIN),
    )
    named = [at for at in range(min(data, _WITHIN)) if are_names(filled_cells(rows[at]))]
    most = max((len(filled_cells(rows[at])) for at in named), default=0)
    if most < width / 2:
        return Header(None, data if data < len(rows) else 0)
    for at in named:
        if _names_most(rows[at], width, most) and not _is_comment(rows, at, data):
            return Header(at, at + 1)
    at = next(at for at in named if len(filled_cells(rows[at])) == most)
    return Header(at, at + 1)


def filled_cells(row: Sequence[Any]) -> list[Any]:
    """Return the cells of a row that are not blank."""
    return [cell for cell in row if not is_blank(cell)]


def _names_most(row: Sequence[Any], width: int, most: int) -> bool:
    filled = len(filled_cells(row))
    without_first = filled == len(row) - 1 and is_blank(row[0])
    return len(row) >= width and (filled >= math.ceil(0.75 * most) or without_first)


def _is_comment(rows: Sequence[Sequence[Any]], at: int, data: int) -> bool:
    """Return whether a row is a comment that contains delimiters, with the header below it."""
    return (
        str(rows[at][0]).lstrip().startswith("#")
        and at + 1 < data
        and len(filled_cells(rows[at + 1])) == len(rows[at])
    )


def _width(rows: Sequence[Sequence[Any]]) -> int:
    """Return the number of columns of the table: the most frequent length of its rows (short rows count less), or a
    smaller number if no row has so many filled cells.
    """
    filled = [len(filled_cells(row)) for row in rows]
    counted = Counter(len(row) for row in rows if len(row) > 1) or Counter(len(row) for row in rows)
    common = max(counted, key=lambda cells: (counted[cells] * min(cells, 3), cells), default=1)
    widest = max((cells for cells in filled if cells <= common), default=1)
    return max(1, widest)


def is_blank(cell: Any) -> bool:
    """Return whether a cell has no value or only spaces."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def are_names(cells: Sequence[Any]) -> bool:
    """Return whether cells can be column names. They must be texts that are not data; years are allowed beside
    texts.
    """
    data = [cell for cell in cells if is_data(cell)]
    if not data:
        return bool(cells)
    years = all(re.fullmatch(r"(1[89]|20|21)\d\d(\.0)?", str(cell).strip()) for cell in data)
    return years and len(data) < len(cells) and len({str(cell) for cell in data}) == len(data)


def is_data(cell: Any) -> bool:
    """Return whether a cell is a number, a date or another value that is not text."""
    if not isinstance(cell, str):
        return True
    text = cell.strip()
    return Number.of(text) is not None or is_date(text)


def column_names(cells: Sequence[Any], width: int) -> tuple[list[str], list[str]]:
    """Return `width` different names, and the assumptions made for them."""
    names: list[str] = []
    twice: list[str] = []
    unnamed: list[str] = []
    for index in range(width):
        cell = cells[index] if index < len(cells) else None
        base = " ".join(str(_whole(cell)).split()).strip('"') if not is_blank(cell) else ""
        name = base or f"column{index + 1}"
        taken, number = {known.lower() for known in names}, 2
        while name.lower() in taken:
            name, number = f"{base or 'column'}_{number}", number + 1
        names.append(name)
        if not base:
            unnamed.append(name)
        elif name != base:
            twice.append(f"“{base}” (now “{name}”)")
    notes = [f"The header has the same name twice: {_listed(twice)}."] if twice else []
    if unnamed:
        notes.append(f"The header has no name for {_listed(unnamed)}.")
    return names, notes


def _whole(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def is_footer(row: Sequence[Any], after_blank: bool, width: int) -> bool:
    """Return whether a row at the end of a table is a remark below it.

    A remark is a text in the first column only, or a text such as `Source: …` whose commas split it into several
    columns.
    """
    filled = [index for index, cell in enumerate(row) if not is_blank(cell)]
    if not filled or filled[0] != 0 or not isinstance(row[0], str):
        return False
    labelled = _LABEL.match(row[0]) is not None
    if filled != [0]:
        return labelled and (len(filled) < width or after_blank)
    return labelled or (width > 2 and (after_blank or _FOOTER.match(row[0]) is not None))


def total_note(row: Sequence[Any]) -> str | None:
    """Return a sentence if the last row looks like a total, because the total is read as a row, so that sums count its
    values twice.
    """
    first = next((cell for cell in row if not is_blank(cell)), None)
    if not isinstance(first, str) or not _TOTAL.match(first):
        return None
    shown = ", ".join(str(_whole(cell)) for cell in row if not is_blank(cell))
    return f"{TOTAL} and is one of the rows: “{quoted(shown)}”."


def quoted(text: str, longest: int = 80) -> str:
    """Return a text for a sentence: on one line, and cut if it is too long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
