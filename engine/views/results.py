"""Reads result files and tables for display in a tool process: pages of rows, data series for charts, and exports.

Nothing here loads a whole result into the app's process: large results stay in files.
"""

import shutil
from collections.abc import Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Literal
from uuid import uuid4

from engine.chats.workspaces import Workspaces
from engine.runtime.pool import Pool
from engine.tools.file_tables import FILE, LINKED_ROWS, TableReads, TableSource, copy_file
from engine.tools.tables import Tables
from engine.views.pdf_pages import PdfPage, pdf_page
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["LINKED_ROWS", "Order", "ResultPage", "ResultReads", "Series", "TableSource"]

_ORDER = "order.parquet"
_KEPT = 100
"""The maximum number of cached row orders."""


@dataclass(frozen=True, slots=True)
class Order:
    """The column that rows are sorted by."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Some rows of a result."""

    columns: tuple[tuple[str, str], ...]
    """The name and DuckDB type of each column."""
    rows: tuple[tuple[JSON, ...], ...]
    total: int
    """The number of rows of the whole result."""
    found: int
    """The number of rows that match the search; all rows if there was no search."""
    numbers: tuple[int, ...] = ()
    """The place of each row in the result, from 0."""


@dataclass(frozen=True, slots=True)
class Series:
    """The data for a chart: each row is one mark, unless `combined` says otherwise."""

    points: tuple[tuple[JSON, ...], ...]
    """The x, y, colour and panel of each point; empty if rows share marks and no combination is chosen."""
    rows: int
    """The number of rows of the whole result."""
    marks: int
    """The number of marks; it is larger than the number of `points` if only some of the marks are drawn."""
    shared: int = 1
    """The largest number of rows that share one mark."""
    empty: int = 0
    """The number of rows that have no x or no y and are not drawn."""
    combined: str | None = None
    """How rows with the same mark were combined, such as `mean`."""
    orders: tuple[tuple[JSON, ...], ...] = ((), (), ())
    """The distinct values of x, of colour and of panel, in the order in which they are drawn."""


class ResultReads:
    """Reads tables by their hash. Thread-safe.

    Raises, in each of its methods:
        Unavailable: the result cannot be read as a table (`result_unread`) or written (`result_unwritten`).
        NotFound: the result is no longer stored.
    """

    def __init__(self, workspaces: Workspaces, pool: Pool, cache: Path, tables: Tables) -> None:
        self.reads = TableReads(workspaces, pool, tables)
        self._blobs = workspaces.blobs
        self._cache = cache
        self._tables = tables

    def pdf_page(self, chat_id: str, path: str, sha256: str, number: int) -> PdfPage:
        """Return a page of a PDF as a picture, with its text."""
        return pdf_page(self.reads, self._blobs(chat_id), path, sha256, number)

    def page(
        self, source: TableSource, limit: int, offset: int = 0, *, order: Order | None = None, find: str = ""
    ) -> ResultPage:
        """Return at most `limit` rows from `offset` on, after sorting and searching the whole result."""
        arguments: dict[str, JSON] = {"limit": limit, "offset": offset}
        with self.reads.scratch(source) as scratch:
            if order is not None or find.strip():
                self._arranged(source, scratch, order, find.strip())
                arguments["arranged"] = _ORDER
            found = self.reads.run(scratch, "page", arguments)
        columns = tuple((column["name"], column["type"]) for column in found["columns"])
        rows = tuple(tuple(row) for row in found["rows"])
        return ResultPage(columns, rows, found["total"], found["found"], tuple(found["numbers"]))

    def _arranged(self, source: TableSource, scratch: Path, order: Order | None, find: str) -> None:
        """Write the order of the rows to a file in `scratch`. The order is computed once for each content, sort and
        search, and then cached."""
        told = [order.column, order.descending] if order is not None else None
        name = _name(source.sha256, source.sheet, told, find)
        if self._fetched(name, scratch / _ORDER):
            return
        arguments: dict[str, JSON] = {"target": _ORDER, "find": find}
        if order is not None:
            arguments |= {"order_by": order.column, "descending": order.descending}
        self.reads.run(scratch, "arrange", arguments)
        self._keep(scratch / _ORDER, name)

    def _fetched(self, name: str, target: Path) -> bool:
        """Copy an order from the cache to `target`. If it is missing or damaged, return False; delete a damaged one."""
        for kept in self._cache.glob(f"{name}.*.order"):
            copy_file(kept, target)
            if kept.name == f"{name}.{_digest(target)}.order":
                return True
            kept.unlink(missing_ok=True)
        return False

    def series(
        self,
        source: TableSource,
        x: str,
        y: str | None,
        *,
        color: str | None = None,
        panel: str | None = None,
        combine: str | None = None,
        each: bool = False,
    ) -> Series:
        """Return the data to draw for these columns. If `each` is true, every row becomes a point. `combine` says how
        rows with the same mark become one number (sum, mean, median, min, max, count).
        """
        arguments: dict[str, JSON] = {"x": x, "y": y, "color": color, "panel": panel, "combine": combine}
        with self.reads.scratch(source) as scratch:
            found = self.reads.run(scratch, "series", {**arguments, "each": each})
        points = tuple(tuple(point) for point in found["points"])
        counts = (found["rows"], found["marks"], found["shared"], found["empty"])
        return Series(points, *counts, found["combined"], tuple(map(tuple, found["orders"])))

    def telling_apart(self, source: TableSource, x: str, candidates: Sequence[str]) -> str | None:
        """Return the first candidate that distinguishes the rows with the same `x`; None if no two rows share an `x`,
        or if no candidate does."""
        with self.reads.scratch(source) as scratch:
            found = self.reads.run(scratch, "telling_apart", {"x": x, "candidates": list(candidates)})
        return str(found["color"]) if found["color"] is not None else None

    def totals(self, source: TableSource) -> Mapping[str, JSON]:
        """Return the sum of each numeric column over all rows."""
        with self.reads.scratch(source) as scratch:
            found: Mapping[str, JSON] = self.reads.run(scratch, "totals", {})["totals"]
        return found

    def written(self, source: TableSource, kind: Literal["csv", "excel", "parquet"]) -> bytes:
        """Return the whole result in another format."""
        with self.reads.scratch(source) as scratch:
            if kind == "parquet":
                return (scratch / FILE).read_bytes()
            target = f"result.{'xlsx' if kind == 'excel' else kind}"
            self.reads.run(scratch, f"to_{kind}", {"target": target}, written=True)
            return (scratch / target).read_bytes()

    def _keep(self, made: Path, name: str) -> None:
        """Add a file to the cache, with its hash in its name, and delete the oldest files."""
        self._cache.mkdir(parents=True, exist_ok=True)
        fresh = self._cache / f"{name}.{uuid4().hex}"
        copy_file(made, fresh)
        fresh.replace(self._cache / f"{name}.{_digest(made)}.order")
        for old in sorted(self._cache.iterdir(), key=_age)[:-_KEPT]:
            old.unlink(missing_ok=True)

    def forget(self) -> None:
        """Empty the caches of tables and orders, because their inputs may be gone."""
        shutil.rmtree(self._cache, ignore_errors=True)
        self._tables.forget()


def _name(*parts: object) -> str:
    """Return a file name for a result that is identified by `parts`."""
    return sha256(repr(parts).encode()).hexdigest()


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
