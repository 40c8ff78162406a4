"""Takes sample rows of a result for its JSON, as many as fit into a few kilobytes. Long texts are cut. Notes say what
was left out.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from anabranch_tool.cells import plain_cell

__all__ = ["Sample", "sample_rows"]

_MOST_ROWS = 50
_LONGEST_TEXT = 200


class Sample:
    """The rows that fit, and facts about what was cut."""

    def __init__(self, rows: list[list[Any]], cut_texts: int) -> None:
        self.rows = rows
        self.cut_texts = cut_texts

    def notes(self, total: int, table: str) -> list[str]:
        """Describe what the sample leaves out of a result of `total` rows."""
        said = []
        if len(self.rows) < total:
            said.append(
                f"The first {len(self.rows):,} of {total:,} rows are shown; the table {table} has all of them."
            )
        if self.cut_texts:
            said.append(f"Texts longer than {_LONGEST_TEXT} characters are cut here, marked with …")
        return said


def sample_rows(rows: Iterable[Sequence[Any]], room: int) -> Sample:
    """Take the first rows, at most 50 and at most `room` bytes of JSON."""
    kept: list[list[Any]] = []
    cut = used = 0
    for row in rows:
        cells = [plain_cell(cell) for cell in row]
        shown = [_short(cell) for cell in cells]
        used += len(json.dumps(shown, ensure_ascii=False).encode()) + 2
        if len(kept) == _MOST_ROWS or (used > room):
            break
        cut += sum(short is not cell for short, cell in zip(shown, cells, strict=True))
        kept.append(shown)
    return Sample(kept, cut)


def _short(cell: Any) -> Any:
    text = (
        cell
        if isinstance(cell, str)
        else json.dumps(cell, ensure_ascii=False)
        if isinstance(cell, list | dict)
        else ""
    )
    return text[: _LONGEST_TEXT - 1] + "…" if len(text) > _LONGEST_TEXT else cell
