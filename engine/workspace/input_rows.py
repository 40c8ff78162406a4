"""Data classes for the input rows behind a cell of a result, and for how a result used each input."""

from collections.abc import Mapping

from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["MOST_WRITTEN", "FoundRows", "InputRows", "InputTotals", "UnreadValues"]

MOST_WRITTEN = 1_000_000
"""The maximum number of a table's rows in a CSV file."""


@dataclass(frozen=True, slots=True)
class InputRows:
    """The rows of one table behind a cell."""

    table: str
    """The name of the table in the SQL."""
    path: str | None
    """The file from which the table was read."""
    sheet: str | None
    columns: tuple[str, ...]
    """The columns. The first is `row`: the number of the row in the table, from 1."""
    rows: tuple[tuple[JSON, ...], ...]
    used: int
    """The number of rows behind the cell; `rows` contains some of them."""
    all: int
    """The number of rows in the table."""
    csv: bytes | None = None
    """Up to `MOST_WRITTEN` of the rows as CSV, if requested."""


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The rows behind a cell. The SELECT over only these rows gives the same cell."""

    value: JSON
    tables: tuple[InputRows, ...]
    notes: tuple[str, ...]
    """Notes about rows that are left out or cannot be determined."""

    def to_json(self) -> JSONObject:
        """Return the rows as `anabranch why --rows --json` prints them."""
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
    """Values in a column of a file that do not have the column's type, and are therefore missing in its table."""

    column: str
    count: int
    of: int
    """The number of all values of the column in the file, readable and unreadable."""
    type: str
    """The DuckDB type of the column."""

    @property
    def told(self) -> str:
        """Return a sentence without its full stop, such as "amount: 6 of 3,000 values are not numbers and are left
        out"."""
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
    """The number of rows in the table."""
    used: int
    """The number of rows behind any cell of the result."""
    empty: Mapping[str, int]
    """Column in the SQL → the number of used rows in which the column has no value."""
    dates: Mapping[str, tuple[str, str]]
    """Column with dates → the first and the last date in the used rows."""
    unread: tuple[UnreadValues, ...] = ()
    """Columns in the SQL that have values in the file which do not match the column's type."""

    def to_json(self) -> JSONObject:
        """Return the input totals as `anabranch why --json` prints them."""
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
