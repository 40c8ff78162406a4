"""Makes SQL for comparing columns of two tables: whether two cells are equal, and which columns identify a row.

Doubles are equal if they agree to 12 significant digits (within 5e-13 of the larger one). NULL equals NULL, and NaN
equals NaN.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import duckdb

from anabranch_tool.column_types import quote

__all__ = ["ROW", "Shared", "find_key", "is_key", "row_hash", "shared_columns"]

ROW = "anabranch_row"
"""The name of the column with the row number in both tables."""
_INTEGERS = frozenset(
    f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "", "BIG", "HUGE")
) | {"INTEGER", "UINTEGER"}
_FLOATS = frozenset(("FLOAT", "DOUBLE"))
_MOST_KEYS = 8
"""The maximum number of columns that are tried as a key, from the left."""
_IDENTIFIER = re.compile(r"(?i)(^|[_\W])(id|key|code|no|nr|number)$|[a-z](Id|ID)$")
_SAMPLE = 10_000
"""The number of rows that are first searched for a key. Most columns already have a repeated value in these rows."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A column that both tables have."""

    name: str
    before: str
    """The column's DuckDB type in the first table."""
    after: str

    @property
    def changed(self) -> str:
        """Return SQL that checks whether the cells of the tables `b` (before) and `a` (after) differ."""
        b, a = (_cast(cell, self._type()) for cell in self._cells())
        differs = f"{b} IS DISTINCT FROM {a}"
        if self._type() in _FLOATS:
            near = f"abs({b} - {a}) <= 5e-13 * greatest(abs({b}), abs({a}))"
            return f"({differs} AND NOT coalesce(isfinite({b}) AND isfinite({a}) AND {near}, false))"
        if re.fullmatch(r"(DOUBLE|FLOAT)(\[\])+", self._type() or ""):
            depth = (self._type() or "").count("[]")
            return f"({differs} AND {_rounded(b, depth)} IS DISTINCT FROM {_rounded(a, depth)})"
        return f"({differs})"

    @property
    def matches(self) -> str:
        """Return SQL that checks whether the cells of `b` and `a` match as part of a key."""
        b, a = (_cast(cell, self._type()) for cell in self._cells())
        return f"{b} IS NOT DISTINCT FROM {a}"

    def canonical(self) -> str:
        """Return SQL for a value that is the same for equal cells."""
        cell = _cast(quote(self.name), self._type())
        return _rounded(cell, 0) if self._type() in _FLOATS else cell

    @property
    def may_be_key(self) -> bool:
        """Whether the column could identify rows: its values are texts, dates, timestamps or whole numbers."""
        return self.rank is not None

    @property
    def rank(self) -> int | None:
        """The column's rank as a key: 0 for texts and dates, 1 for whole numbers, which may also be measures; None if
        the column cannot be a key.
        """
        if self.before in _INTEGERS and self.after in _INTEGERS:
            return 1
        named = self.before in ("VARCHAR", "DATE", "UUID") or self.before.startswith(("TIMESTAMP", "ENUM"))
        return 0 if named and self._type() == self.before else None

    def _cells(self) -> tuple[str, str]:
        return f"b.{quote(self.name)}", f"a.{quote(self.name)}"

    def _type(self) -> str | None:
        """The type that the two cells are converted to for comparison; None if DuckDB chooses one."""
        if self.before == self.after:
            return self.before
        kinds = {self.before, self.after}
        numbers = [kind for kind in kinds if kind in _INTEGERS | _FLOATS or kind.startswith("DECIMAL")]
        if len(numbers) == len(kinds):
            return "DOUBLE" if kinds & _FLOATS else None
        return None if kinds <= {"DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS"} else "VARCHAR"


def shared_columns(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[Shared]:
    """Return the columns whose names are in both tables, in the order of the first table."""
    types = dict(after)
    return [Shared(name, kind, types[name]) for name, kind in before if name in types]


def row_hash(columns: Sequence[Shared]) -> str:
    """Return SQL for a number that is the same for equal rows."""
    return f"hash({', '.join(column.canonical() for column in columns)})"


def find_key(
    connection: duckdb.DuckDBPyConnection, columns: Sequence[Shared], rows: int
) -> list[Shared] | None:
    """Return the first one or two columns that identify the rows of both tables; None if no columns do.

    A column of whole numbers may be a measure without repeats, so such columns are tried last unless they are first in
    the table or named like an identifier. A column whose values differ between the tables identifies no rows, so half
    of the keys must be in both tables. For texts and dates, which are seldom measures, one common key is enough if
    there is no better column. `rows` is the number of rows of the smaller table.
    """
    found: list[Shared] | None = None
    most = 0
    for key in _candidates(columns):
        if not is_key(connection, key, _SAMPLE) or not is_key(connection, key):
            continue
        shared = _in_both(connection, key)
        if 2 * shared >= rows:
            return key
        if shared > most and all(column.rank == 0 for column in key):
            found, most = key, shared
    return found


def is_key(connection: duckdb.DuckDBPyConnection, key: Sequence[Shared], first: int | None = None) -> bool:
    """Return whether the columns' values are unique in each table. If `first` is given, only this many rows are
    checked.
    """
    names = ", ".join(quote(column.name) for column in key)
    some = "" if first is None else f"LIMIT {first}"
    for side in ("before", "after"):
        rows = f"SELECT {names} FROM table_{side} {some}"
        sql = f"SELECT (SELECT count(*) FROM ({rows})) = (SELECT count(*) FROM (SELECT DISTINCT * FROM ({rows})))"
        if connection.execute(sql).fetchall() != [(True,)]:
            return False
    return True


def _candidates(columns: Sequence[Shared]) -> Iterator[list[Shared]]:
    able = [column for column in columns if column.may_be_key][:_MOST_KEYS]
    named = [c for c in able if c.rank == 0 or c is columns[0] or _IDENTIFIER.search(c.name)]
    yield from ([column] for column in named)
    yield from (list(pair) for pair in combinations(able, 2) if pair[0] in named or pair[1] in named)
    yield from ([column] for column in able if column not in named)


def _in_both(connection: duckdb.DuckDBPyConnection, key: Sequence[Shared]) -> int:
    on = " AND ".join(column.matches for column in key)
    sql = f"SELECT count(*) FROM table_before b SEMI JOIN table_after a ON {on}"
    return int(connection.execute(sql).fetchall()[0][0])


def _cast(cell: str, kind: str | None) -> str:
    return cell if kind is None else f"CAST({cell} AS {kind})"


def _rounded(cell: str, depth: int) -> str:
    """Return SQL that converts a double, or a list of doubles with `depth` levels, to text with 12 significant
    digits.
    """
    if depth:
        return f"list_transform({cell}, lambda v{depth}: {_rounded(f'v{depth}', depth - 1)})"
    return f"CASE WHEN isnan({cell}) THEN 'nan' ELSE format('{{:.11e}}', {cell} + 0.0::DOUBLE) END"
