"""Headers with two rows: a row of groups, each over several columns, and a row of names below it."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from anabranch_tool.column_types import is_missing
from anabranch_tool.table_shape import (
    Header,
    are_names,
    filled_cells,
    find_header,
    is_blank,
    is_data,
    quoted,
)

__all__ = ["header_of", "join_rows"]

_WITHIN = 30
"""The number of rows that are searched for a header."""
_LOOKED_AT = 50
"""The number of data rows that are checked to find out whether the row above them can contain names."""


def header_of(rows: Sequence[Sequence[Any]]) -> tuple[Header, list[Any], list[str]]:
    """Return the place of the header in `rows`, its cells, and a list with a sentence if the header has two rows."""
    found = find_header(rows)
    two = _repeated_groups(rows[:_WITHIN])
    if two is None and found.row is not None:
        two = _two_rows(rows, found.row)
    if two is not None:
        names, note = join_rows(rows[two[0]], rows[two[1]])
        return Header(two[1], two[1] + 1), names, [note]
    return found, list(rows[found.row]) if found.row is not None else [], []


def _repeated_groups(rows: Sequence[Sequence[Any]]) -> tuple[int, int] | None:
    """Return two rows that both repeat their names, such as `2024, 2024, 2025, 2025` above `Q1, Q2, Q1, Q2`."""
    for at, (upper, lower) in enumerate(pairwise(rows)):
        if len(upper) != len(lower) or any(map(is_blank, (*upper[1:], *lower[1:]))):
            continue
        cells = [*filled_cells(upper), *filled_cells(lower)]
        if any(is_data(cell) and not _is_year(cell) for cell in cells):
            continue
        alone = [
            cell for row in (upper, lower) if (c := Counter(map(str, row[1:]))) for cell in c if c[cell] < 2
        ]
        together = set(zip(map(str, upper), map(str, lower), strict=True))
        if (
            len(upper) > 2
            and not alone
            and len(together) == len(upper)
            and _stands_out(lower, rows[at + 2 :])
        ):
            return at, at + 1
    return None


def _two_rows(rows: Sequence[Sequence[Any]], header: int) -> tuple[int, int] | None:
    """Return both rows of a header if it has two rows and `header` is one of them; None if it has only one row."""
    if header > 0 and _are_groups(rows[header - 1], rows[header]):
        return header - 1, header
    if header + 1 < len(rows) and _are_groups(rows[header], rows[header + 1]):
        below = rows[header + 2 : header + 2 + _LOOKED_AT]
        if _stands_out(rows[header + 1], below):
            return header, header + 1
    return None


def _are_groups(upper: Sequence[Any], lower: Sequence[Any]) -> bool:
    """Return whether a row names groups of the columns that the row below it names."""
    groups = [at for at, cell in enumerate(upper) if not is_blank(cell)]
    names = filled_cells(lower)
    if len(groups) < 2 and groups in ([], [0]):
        return False
    if len(names) < 2 or any(is_data(cell) and not _is_year(cell) for cell in (*names, *filled_cells(upper))):
        return False
    under = [at for at, cell in enumerate(lower) if not is_blank(cell) and _is_open(upper, at)]
    twice = len({str(name).strip().lower() for name in names}) < len(names)
    covers_all = all(at < len(lower) and not is_blank(lower[at]) for at in groups if at > 0)
    return bool(under) and covers_all and (twice or is_blank(lower[0]) or is_blank(upper[0]))


def _is_open(row: Sequence[Any], at: int) -> bool:
    """Return whether a cell is blank and to the right of a filled cell. It then belongs to the filled cell's group."""
    return at > 0 and (at >= len(row) or is_blank(row[at])) and any(not is_blank(cell) for cell in row[1:at])


def _is_year(cell: Any) -> bool:
    return not are_names([cell]) and are_names([cell, "name"])


def _stands_out(names: Sequence[Any], below: Sequence[Sequence[Any]]) -> bool:
    """Return whether a row has texts in columns that have numbers or dates below the row."""
    found = 0
    for at, name in enumerate(names):
        cells = [row[at] for row in below if at < len(row) and not is_blank(row[at])]
        data = sum(map(is_data, cells))
        if not cells or data < 0.8 * len(cells) or is_blank(name):
            continue
        if not isinstance(name, str) or is_missing(name):
            return False
        found += 1
    return found > 0


def join_rows(upper: Sequence[Any], lower: Sequence[Any]) -> tuple[list[str], str]:
    """Return the names in a header with two rows, such as `2024 Q1`, and a sentence about it."""
    names: list[str] = []
    group = ""
    for at in range(max(len(upper), len(lower))):
        over = _text(upper[at]) if at < len(upper) else ""
        own = _text(lower[at]) if at < len(lower) else ""
        group = over or (group if own else "")
        names.append(" ".join(part for part in (group, own) if part))
    shown = next((name for name in names if " " in name), names[0])
    return names, f"The header has two rows; their names are joined, for example “{quoted(shown, 60)}”."


def _text(cell: Any) -> str:
    if is_blank(cell):
        return ""
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
