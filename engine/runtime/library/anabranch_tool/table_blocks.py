"""Detects several tables in one file or sheet that are below each other, with blank rows between them. Only the first
table is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from anabranch_tool.table_shape import are_names, filled_cells, is_blank, is_data, quoted

__all__ = ["GrowingShape", "Shape", "block_note"]

_LOOKED_AT = 200


@dataclass(slots=True)
class Shape:
    """The typical form of a table's rows, used to distinguish another table's header from one more row."""

    names: tuple[str, ...]
    data: frozenset[int] = field(default_factory=frozenset)
    """The columns with numbers or dates."""

    @staticmethod
    def of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> "Shape":
        """Return the shape of a table's first rows."""
        data = set()
        for at in range(len(names)):
            cells = [row[at] for row in rows[:_LOOKED_AT] if at < len(row) and not is_blank(row[at])]
            if cells and sum(map(is_data, cells)) >= 0.8 * len(cells):
                data.add(at)
        return Shape(tuple(names), frozenset(data))

    def ends_before(self, row: Sequence[Any]) -> bool:
        """Return whether `row`, which follows a blank row, is the header of another table."""
        cells = filled_cells(row)
        if len(cells) < 2 or not are_names(cells) or not self.data:
            return False
        texts = [at for at in self.data if at < len(row) and isinstance(row[at], str) and row[at].strip()]
        same = [str(cell).strip().lower() for cell in cells] == [name.lower() for name in self.names]
        return bool(texts) and not any(is_data(row[at]) for at in texts) and not same


class GrowingShape:
    """The shape of a table whose rows arrive one by one; it is determined again whenever their number has doubled."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._rows = 0
        self._shape = Shape(())

    def ends_before(self, row: Sequence[Any], rows: Sequence[Sequence[Any]]) -> bool:
        """Return whether `row` is the header of another table below `rows`."""
        if len(rows) >= 2 * self._rows:
            self._shape, self._rows = Shape.of(self._names, rows), max(1, len(rows))
        return self._shape.ends_before(row)


def block_note(line: int, row: Sequence[Any], what: str = "line") -> str:
    """Return a note saying that another table begins at `line` and is not read."""
    shown = ", ".join(str(cell).strip() for cell in filled_cells(row))
    return (
        f"Another table begins at {what} {line:,} and is not part of this one: “{quoted(shown, 60)}”. "
        "Save it as a separate file or sheet to use it."
    )
