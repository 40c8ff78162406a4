"""Rows of the inputs behind a cell of a result, and how a result used each input. Pure values."""

from collections.abc import Mapping
from dataclasses import dataclass

from events.canonical import JSON, JSONObject

__all__ = ["MOST_WRITTEN", "FoundRows", "InputRows", "InputTotals", "UnreadValues"]

MOST_WRITTEN = 1_000_000
"""Rows of a table in a CSV file."""


@dataclass(frozen=True, slots=True)
class InputRows:
    """Rows of one table behind a cell."""

    table: str
    """Its name in the SQL."""
    path: str | None
    """The file that it was read from."""
    sheet: str | None
    columns: tuple[str, ...]
    """The first is `row`: the number of the row in the table, from 1."""
    rows: tuple[tuple[JSON, ...], ...]
    used: int
    """The number of rows behind the cell, of which `rows` are some."""
    all: int
    """Rows of the table."""
    csv: bytes | None = None
    """Up to `MOST_WRITTEN` of them as CSV, if requested."""


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The rows behind a cell. The SELECT over only these rows gives the same cell."""

    value: JSON
    tables: tuple[InputRows, ...]
    notes: tuple[str, ...]
    """Rows that are left out, or that cannot be determined."""

    def to_json(self) -> JSONObject:
        """Return them in the form of `anabranch why --rows --json`."""
        tables: list[JSON] = [
            {
                "table": one.table,
                "path": one.path,
                "sheet": one.sheet,
                "columns": list(one.columns),
                "rows": [list(row) for row in one.rows],
                "used": one.used,
                "all": one.all,
            }
            for one in self.tables
        ]
        return {"value": self.value, "tables": tables, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class UnreadValues:
    """Values of a column of a file that are not of its type, and so are missing in its table."""

    column: str
    count: int
    of: int
    """Values of the column in the file, including those."""
    type: str
    """DuckDB's type of the column."""

    @property
    def told(self) -> str:
        """Return the sentence without its end: "amount: 6 of 3,000 values are not numbers and are left out"."""
        dated = self.type.startswith(("DATE", "TIME"))
        kind = "dates or times" if dated else "true or false" if self.type == "BOOLEAN" else "numbers"
        one = {"numbers": "a number", "dates or times": "a date or time"}.get(kind, kind)
        verb, left = (f"is not {one}", "is") if self.count == 1 else (f"are not {kind}", "are")
        return f"{self.column}: {self.count:,} of {self.of:,} values {verb} and {left} left out"


@dataclass(frozen=True, slots=True)
class InputTotals:
    """The rows of one table that a result used."""

    table: str
    path: str | None
    all: int
    """Rows of the table."""
    used: int
    """Rows behind any cell of the result."""
    empty: Mapping[str, int]
    """Column that the SQL names → used rows without a value in it."""
    dates: Mapping[str, tuple[str, str]]
    """Column with dates → the first and the last of the used rows."""
    unread: tuple[UnreadValues, ...] = ()
    """Columns that the SQL names with values in the file that are not of the column's type."""

    def to_json(self) -> JSONObject:
        """Return the input totals as `anabranch why --json` gives it."""
        return {
            "table": self.table,
            "path": self.path,
            "rows": self.all,
            "used": self.used,
            "filtered_out": self.all - self.used,
            "empty": dict(self.empty),
            "dates": {name: list(ends) for name, ends in self.dates.items()},
            "unread": [
                {"column": one.column, "count": one.count, "of": one.of, "type": one.type, "told": one.told}
                for one in self.unread
            ],
        }
