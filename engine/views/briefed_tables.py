"""The facts about tables that a model was sent before any call (rows, ranges and counts), as results to which numbers
can be traced.

The facts are read from the data parts of requests, which `engine.turn.tables_text` writes. Text in another form is
ignored.
"""

import json
import re
from collections.abc import Callable, Sequence

from engine.errors import NotFound
from engine.numbers.evidence import FileFacts, ResultTable, Value
from engine.system.weighted_cache import WeightedCache
from engine.workspace.blobs import BlobStore
from events.late_dataclass import dataclass

__all__ = ["BriefedTables", "briefed_tables"]

_COLUMNS = ("name", "minimum", "maximum", "missing", "distinct")
_TABLE = re.compile(r"(?:^- |: |, )(\S+) \(([\d,]+) rows, from [^()]*(?:\([^()]*\)[^()]*)*\)")
_COLUMN = re.compile(r"  - ([^:]+): ([A-Z].*)")
_RANGE = re.compile(r"(-?\d[\d.]*(?:e[+-]?\d+)?) to (-?\d[\d.]*(?:e[+-]?\d+)?)")
_MISSING = re.compile(r"([\d,]+) missing")
_DISTINCT = re.compile(r"(?:about )?([\d,]+) different")
_KEPT = 5_000
"""The maximum number of tables in the cache."""
_MOST_PARTS = 200
"""The maximum number of data parts of a branch that are read. If there are more, the latest ones are read."""

Told = tuple[tuple[ResultTable, ...], tuple[FileFacts, ...]]


@dataclass(slots=True)
class _Table:
    names: list[tuple[str, int]]
    columns: list[tuple[Value, ...]]


class BriefedTables:
    """Reads data parts by their hashes, and caches them, since the content for a hash never changes."""

    def __init__(self, blobs_of: Callable[[str], BlobStore]) -> None:
        self._blobs_of = blobs_of
        self._kept: WeightedCache[str, Told] = WeightedCache(_KEPT, lambda told: 1 + len(told[0]))

    def told(self, chat_id: str, data_parts: Sequence[str]) -> Told:
        """Return the tables and files described in the data parts with these hashes. Missing data parts are skipped."""
        found = [self._one(chat_id, sha256) for sha256 in data_parts[-_MOST_PARTS:]]
        return tuple(t for one in found for t in one[0]), tuple(f for one in found for f in one[1])

    def _one(self, chat_id: str, sha256: str) -> Told:
        known = self._kept.get(sha256)
        if known is None:
            try:
                known = briefed_tables(str(json.loads(self._blobs_of(chat_id).read(sha256))["text"]))
            except (NotFound, ValueError, KeyError, TypeError):
                known = (), ()
            self._kept.put(sha256, known)
        return known


def briefed_tables(text: str) -> Told:
    """Return the tables described in the text of a data part, each as a table with a row for every column, and the
    sizes of the tables."""
    tables: list[_Table] = []
    for line in text.splitlines():
        if line.startswith("- "):
            tables.append(_Table([(t[1], _count(t[2])) for t in _TABLE.finditer(line)], []))
        elif tables and (column := _COLUMN.fullmatch(line)):
            tables[-1].columns.append(_column(column[1], column[2]))
    tables = [one for one in tables if one.names]
    results = tuple(
        ResultTable(one.names[0][0], _COLUMNS, tuple(one.columns), f"Columns of {one.names[0][0]}")
        for one in tables
        if one.columns
    )
    return results, tuple(
        FileFacts(name, rows, len(one.columns) or None) for one in tables for name, rows in one.names
    )


def _column(name: str, facts: str) -> tuple[Value, ...]:
    """Return the facts that a line states about a column, as a row."""
    ends = next((found for fact in facts.split("; ") if (found := _RANGE.fullmatch(fact))), None)
    low, high = (_number(ends[1]), _number(ends[2])) if ends else (None, None)
    missing, different = _MISSING.search(facts), _DISTINCT.search(facts)
    return (
        name,
        low,
        high,
        _count(missing[1]) if missing else None,
        _count(different[1]) if different else None,
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _count(text: str) -> int:
    return int(text.replace(",", "") or 0)
