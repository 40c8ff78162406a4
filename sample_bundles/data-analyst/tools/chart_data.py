"""The rows that a chart draws, and their columns."""

from dataclasses import dataclass, field
from typing import Any

from tools.chart_asked import Used
from tools.chart_columns import Column

__all__ = ["MOST_MARKS", "Rows", "count_of_marks", "count_of_rows", "number_of"]

MOST_MARKS = 5_000
"""The maximum number of marks in one chart."""


@dataclass(slots=True)
class Rows:
    """The data of a chart: the table `charted` in the connection, and the rows that are sent to the page."""

    connection: Any
    used: Used
    total: int
    """The number of rows in the result."""
    layers: list[Column] = field(default_factory=list)
    measured: str = ""
    """How a drawn number was computed, such as `mean of revenue`; empty if it is a value of the result."""
    notes: list[str] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)
    folded: bool = False
    cut: str = ""
    """A sentence saying that an axis does not start at 0; empty if it does."""


def number_of(connection: Any, sql: str) -> int:
    """Return the number that `sql` selects."""
    return int(connection.execute(sql).fetchone()[0] or 0)


def count_of_rows(count: int) -> str:
    return f"{count:,} row" + "s" * (count != 1)


def count_of_marks(rows: Rows, count: int) -> str:
    """Return `3 rows`, or `3 marks` if each mark was computed from several rows."""
    return f"{count:,} mark" + "s" * (count != 1) if rows.measured else count_of_rows(count)
