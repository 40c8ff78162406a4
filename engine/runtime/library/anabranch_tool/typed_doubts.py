"""Finds data in a typed table that may be misread: numbers that look like dates, a total as the last row, a column that
is only an index.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from anabranch_tool.column_types import quote
from anabranch_tool.table_shape import TOTAL, quoted

__all__ = ["column_doubts", "total_by_sum"]

_NUMBERS = ("BIGINT", "DOUBLE", "DECIMAL")
_DATE = re.compile(
    r"(?i)date|datum|day|fecha|jour|giorno|dato|дата|日期|日付|dob|birth|created|updated|modified|"
    r"(^|[_ ])(dt|tag|data|dia|on|at)($|[_ ])"
)
_FIRST_SERIAL, _LAST_SERIAL = 20_000, 60_000
"""The range of Excel's day numbers, counted from 1900, for the years 1954 to 2064."""
_MOST_ROWS = 100_000
"""A table with more rows than this is not expected to have a total that a person added."""
_CLOSE = 1e-9


def column_doubts(
    connection: duckdb.DuckDBPyConnection, file: str, columns: Sequence[tuple[str, str]], nameless: bool
) -> Mapping[str, str]:
    """Return the end of a sentence for each column of a Parquet file whose numbers may be something else.

    `nameless` says whether the first column has no name in the file.
    """
    doubts: dict[str, str] = {}
    source = f"read_parquet('{file}', file_row_number = true)"
    if columns and columns[0][1] == "BIGINT" and (nameless or columns[0][0].lower() == "unnamed: 0"):
        away = f"{quote(columns[0][0])} - file_row_number"
        low, high, lacks = _row(
            connection, f"SELECT min({away}), max({away}), bool_or({away} IS NULL) FROM {source}"
        )
        if low == high and low in (0, 1) and not lacks:
            doubts[columns[0][0]] = (
                f"numbers the rows from {low}, like an index that was saved with the table"
            )
    for name, kind in columns:
        if not kind.startswith(_NUMBERS) or not _DATE.search(name):
            continue
        c = quote(name)
        whole = f"try_strptime(CAST(CAST({c} AS BIGINT) AS VARCHAR), '%Y%m%d') IS NOT NULL AND {c} % 1 = 0"
        low, high, days = _row(
            connection,
            f"SELECT min({c}), max({c}), bool_and({c} BETWEEN 19000101 AND 21001231 AND {whole}) FROM {source}",
        )
        if low is None:
            continue
        if days:
            doubts[name] = f"stays a number, though {low:.0f} looks like a date written YYYYMMDD"
        elif low >= _FIRST_SERIAL and high <= _LAST_SERIAL:
            day = _row(connection, f"SELECT DATE '1899-12-30' + {int(low)}")[0]
            doubts[name] = f"stays a number, though {low:g} looks like Excel's number for a day ({day})"
    return doubts


def total_by_sum(
    connection: duckdb.DuckDBPyConnection, file: str, columns: Sequence[tuple[str, str]], rows: int
) -> str | None:
    """Return a sentence if the last row of a Parquet file contains the sums of the rows above it."""
    numbers = [name for name, kind in columns if kind.startswith(_NUMBERS)]
    texts = [name for name, kind in columns if kind == "VARCHAR"]
    if not numbers or not texts or not 3 < rows <= _MOST_ROWS:
        return None
    source = f"read_parquet('{file}', file_row_number = true)"
    listed = ", ".join(quote(name) for name, _ in columns)
    last = _row(connection, f"SELECT {listed} FROM {source} WHERE file_row_number = {rows - 1}")
    value = dict(zip((name for name, _ in columns), last, strict=True))
    filled = [name for name in numbers if value[name] is not None]
    if not any(value[name] for name in filled):
        return None
    totals = ", ".join(f"sum({quote(name)})" for name in filled)
    sums = _row(connection, f"SELECT {totals} FROM {source} WHERE file_row_number < {rows - 1}")
    equal = [
        name for name, total in zip(filled, sums, strict=True) if value[name] and _is_sum(value[name], total)
    ]
    label = next((name for name in texts if value[name] is not None), None)
    if (
        len(equal) * 2 < len(filled)
        or not equal
        or (label and _is_usual(connection, source, label, value[label]))
    ):
        return None
    shown = ", ".join(str(cell) for cell in _plain(last) if cell is not None)
    return f"{TOTAL} and is one of the rows: “{quoted(shown)}”."


def _is_usual(connection: duckdb.DuckDBPyConnection, source: str, name: str, text: str) -> bool:
    """Return whether a text is in more than one row. Such a text is not the label of a total."""
    found = connection.execute(
        f"SELECT count(*) > 1 FROM {source} WHERE {quote(name)} = ?", [text]
    ).fetchone()
    return bool(found and found[0])


def _is_sum(value: Any, total: Any) -> bool:
    if total is None:
        return False
    if isinstance(value, float):
        return abs(float(total) - value) <= _CLOSE * max(abs(value), 1.0)
    return bool(total == value)


def _plain(cells: Sequence[Any]) -> list[Any]:
    """Return decimals without the decimal places that typing adds."""
    return [f"{cell.normalize():f}" if hasattr(cell, "normalize") else cell for cell in cells]


def _row(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    return connection.execute(sql).fetchone() or ()
