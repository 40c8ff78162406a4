"""Result files for readers: pages of rows and whole files as CSV, read in a tool process and never in this one."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cancel import Cancel
from engine.errors import Unavailable
from engine.folders import Folders
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from events.canonical import JSON

__all__ = ["ResultPage", "ResultReads"]

_FILE = "result.parquet"
_CSV = "result.csv"


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Some rows of a result."""

    columns: tuple[tuple[str, str], ...]
    """Name and DuckDB type of each."""
    rows: tuple[tuple[JSON, ...], ...]
    total: int
    """Rows of the whole result."""


class ResultReads:
    """Reads results by their hash."""

    def __init__(self, folders: Folders, pool: Pool) -> None:
        self._folders = folders
        self._pool = pool

    def page(self, chat_id: str, sha256: str, limit: int, offset: int = 0) -> ResultPage:
        """Return `limit` rows from `offset` on of a Parquet file.

        Raises:
            Unavailable: it cannot be read as Parquet.
            NotFound: it is no longer kept.
        """
        with tempfile.TemporaryDirectory(prefix="anabranch-result-") as scratch:
            found = self._run(chat_id, sha256, Path(scratch), "page", {"limit": limit, "offset": offset})
        columns = tuple((column["name"], column["type"]) for column in found["columns"])
        return ResultPage(columns, tuple(tuple(row) for row in found["rows"]), found["total"])

    def csv(self, chat_id: str, sha256: str) -> bytes:
        """Return the whole of a Parquet file as CSV; raises like `page`."""
        with tempfile.TemporaryDirectory(prefix="anabranch-result-") as scratch:
            self._run(chat_id, sha256, Path(scratch), "to_csv", {"target": _CSV})
            return (Path(scratch) / _CSV).read_bytes()

    def _run(
        self, chat_id: str, sha256: str, scratch: Path, function: str, arguments: Mapping[str, JSON]
    ) -> Mapping[str, Any]:
        with (scratch / _FILE).open("wb") as target:
            self._folders.blobs(chat_id).copy_to(sha256, target.fileno())
        request = RunRequest(
            call_id="result",
            bundle=None,
            entrypoint=f"anabranch_tool.results:{function}",
            workspace=scratch,
            arguments={"path": _FILE, **arguments},
            limits=Limits(result_bytes=64 << 20),
        )
        outcome = self._pool.run(request, cancel=Cancel())
        if outcome.value is None:
            reason = outcome.error.message if outcome.error else outcome.status
            raise Unavailable("result_unread", f"This result cannot be read: {reason}")
        return outcome.value
