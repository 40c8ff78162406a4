"""Result files and tables for readers: pages of rows, series to draw, and other formats. Read in a tool process.

Nothing here loads a whole result into the app's process: what is large stays a file.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from uuid import uuid4

from engine.cancel import Cancel
from engine.errors import Unavailable
from engine.folders import Folders
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from engine.workspace.copying import copy_content
from events.canonical import JSON

__all__ = ["Order", "ResultPage", "ResultReads", "Series", "TableSource"]

_FILE = "result.parquet"
_ORDER = "order.parquet"
_KEPT = 100
"""Tables and orders of rows in the cache."""
_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class TableSource:
    """A file of a chat that holds a table, by the hash of its bytes."""

    chat_id: str
    sha256: str
    path: str = _FILE
    """Its name tells its kind: other files than Parquet are made Parquet once, and kept in the cache."""
    sheet: str | None = None
    """The sheet of a workbook."""


@dataclass(frozen=True, slots=True)
class Order:
    """By which column rows are sorted."""

    column: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Some rows of a result."""

    columns: tuple[tuple[str, str], ...]
    """Name and DuckDB type of each."""
    rows: tuple[tuple[JSON, ...], ...]
    total: int
    """Rows of the whole result."""
    found: int
    """Rows that hold what was looked for; all where nothing was."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points to draw."""

    points: tuple[tuple[JSON, ...], ...]
    rows: int
    """Rows of the whole result."""
    every: int
    """Each how manieth row is a point."""
    summed: bool
    """Whether a point stands for several rows."""
    more: bool
    """Whether there are points that were left out."""


class ResultReads:
    """Reads tables by their hash. Safe for several threads.

    Raises, in each of its methods:
        Unavailable: it cannot be read as a table (`result_unread`), or not written so (`result_unwritten`).
        NotFound: it is no longer kept.
    """

    def __init__(self, folders: Folders, pool: Pool, cache: Path) -> None:
        self._folders = folders
        self._pool = pool
        self._cache = cache

    def page(
        self, source: TableSource, limit: int, offset: int = 0, *, order: Order | None = None, find: str = ""
    ) -> ResultPage:
        """Return `limit` rows from `offset` on, sorted and looked through over the whole of it."""
        arguments: dict[str, JSON] = {"limit": limit, "offset": offset}
        with self._scratch(source) as scratch:
            if order is not None or find.strip():
                self._arranged(source, scratch, order, find.strip())
                arguments["arranged"] = _ORDER
            found = self._run(scratch, "page", arguments)
        columns = tuple((column["name"], column["type"]) for column in found["columns"])
        return ResultPage(columns, tuple(tuple(row) for row in found["rows"]), found["total"], found["found"])

    def _arranged(self, source: TableSource, scratch: Path, order: Order | None, find: str) -> None:
        """Put the order of the rows into `scratch`; it is found once for each content, and kept in the cache."""
        told = [order.column, order.descending] if order is not None else None
        name = _name(source.sha256, source.sheet, told, find)
        kept = self._cache / f"{name}.order"
        if not kept.exists():
            arguments: dict[str, JSON] = {"target": _ORDER, "find": find}
            if order is not None:
                arguments |= {"order_by": order.column, "descending": order.descending}
            self._run(scratch, "arrange", arguments)
            self._keep(scratch / _ORDER, kept)
            return
        _copy(kept, scratch / _ORDER)

    def series(self, source: TableSource, x: str, y: str | None, *, summed: bool = True) -> Series:
        """Return what to draw of two columns; without `y` how often each `x` stands there."""
        with self._scratch(source) as scratch:
            found = self._run(scratch, "series", {"x": x, "y": y, "summed": summed})
        points = tuple(tuple(point) for point in found["points"])
        return Series(points, found["rows"], found["every"], found["summed"], found["more"])

    def written(self, source: TableSource, kind: Literal["csv", "excel", "parquet"]) -> bytes:
        """Return the whole of it in another format."""
        with self._scratch(source) as scratch:
            if kind == "parquet":
                return (scratch / _FILE).read_bytes()
            target = f"result.{'xlsx' if kind == 'excel' else kind}"
            self._run(scratch, f"to_{kind}", {"target": target}, written=True)
            return (scratch / target).read_bytes()

    @contextmanager
    def _scratch(self, source: TableSource) -> Iterator[Path]:
        """A folder of its own for a tool process, in which the table stands as Parquet."""
        with tempfile.TemporaryDirectory(prefix="anabranch-result-") as folder:
            scratch = Path(folder)
            if PurePosixPath(source.path).suffix.lower() in (".parquet", ".pq"):
                with (scratch / _FILE).open("wb") as target:
                    self._folders.blobs(source.chat_id).copy_to(source.sha256, target.fileno())
            else:
                _copy(self._preview(source), scratch / _FILE)
            yield scratch

    def _preview(self, source: TableSource) -> Path:
        """The table as Parquet, made once for each content."""
        suffix = "".join(PurePosixPath(source.path).suffixes[-2:]).lower()
        kept = self._cache / f"{_name(source.sha256, source.sheet, suffix)}.table"
        if kept.exists():
            return kept
        with tempfile.TemporaryDirectory(prefix="anabranch-table-") as folder:
            scratch, name = Path(folder), f"table{suffix}"
            with (scratch / name).open("wb") as target:
                self._folders.blobs(source.chat_id).copy_to(source.sha256, target.fileno())
            self._run(scratch, "to_parquet", {"target": _FILE, "sheet": source.sheet}, path=name)
            self._keep(scratch / _FILE, kept)
        return kept

    def _keep(self, made: Path, kept: Path) -> None:
        """Take a file into the cache, from which the oldest go."""
        self._cache.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{uuid4().hex}")
        _copy(made, fresh)
        fresh.replace(kept)
        for old in sorted(self._cache.iterdir(), key=_age)[:-_KEPT]:
            old.unlink(missing_ok=True)

    def forget(self) -> None:
        """Empty the cache: what it was made of may be gone."""
        shutil.rmtree(self._cache, ignore_errors=True)

    def _run(
        self,
        scratch: Path,
        function: str,
        arguments: Mapping[str, JSON],
        written: bool = False,
        path: str = _FILE,
    ) -> Mapping[str, Any]:
        request = RunRequest(
            call_id="result",
            bundle=None,
            entrypoint=f"anabranch_tool.results:{function}",
            workspace=scratch,
            arguments={"path": path, **arguments},
            limits=Limits(result_bytes=64 << 20, seconds=_SECONDS),
        )
        outcome = self._pool.run(request, cancel=Cancel())
        if outcome.value is None:
            reason = outcome.error.message if outcome.error else outcome.status
            reason = reason.removeprefix("ValueError: ")
            if written:
                raise Unavailable("result_unwritten", f"This result cannot be written: {reason}")
            raise Unavailable("result_unread", f"This result cannot be read: {reason}")
        return outcome.value


def _name(*parts: object) -> str:
    """A file's name for what is told apart by `parts`."""
    return sha256(repr(parts).encode()).hexdigest()


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as read, target.open("wb") as written:
        copy_content(read.fileno(), written.fileno())


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
