"""Reads a chat's file as a table in a tool process, by the hash of its bytes. Used for pages, downloads and charts."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from engine.chats.workspaces import Workspaces
from engine.errors import AnabranchError, Unavailable
from engine.rendering.plans import FileRef
from engine.rendering.rows import MOST_DRAWN, drawn_rows
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.linked_files import is_link
from engine.tools.tables import Tables
from engine.workspace.blobs import BlobStore
from engine.workspace.copying import copy_content
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["FILE", "LINKED_ROWS", "TableReads", "TableSource", "copy_file"]

FILE = "result.parquet"
"""The name of the table in a tool process's folder."""
LINKED_ROWS = 1_000
"""The maximum number of rows that are shown from a linked table."""
_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class TableSource:
    """A file of a chat that contains a table, identified by the hash of its bytes."""

    chat_id: str
    sha256: str
    path: str = FILE
    """The file's path. Its ending determines how it is read: files that are not Parquet are converted once to typed
    Parquet."""
    sheet: str | None = None
    """The sheet of a workbook."""
    content: bytes | None = None
    """The bytes themselves, if no file contains them."""


class TableReads:
    """Reads tables by their hash. Thread-safe."""

    def __init__(self, workspaces: Workspaces, pool: Pool, tables: Tables) -> None:
        self._workspaces = workspaces
        self._pool = pool
        self._tables = tables

    def first_rows(self, chat_id: str, file: FileRef, blobs: BlobStore) -> list[JSONObject] | None:
        """Return the rows of `file` in `blobs` that a chart draws; None if the file cannot be read as a table."""
        try:
            with self.scratch(TableSource(chat_id, file.sha256, file.path), blobs) as scratch:
                found = self.run(scratch, "page", {"limit": MOST_DRAWN, "offset": 0})
        except (AnabranchError, OSError):
            return None
        return drawn_rows([column["name"] for column in found["columns"]], found["rows"])

    @contextmanager
    def scratch(self, source: TableSource, blobs: BlobStore | None = None) -> Iterator[Path]:
        """Yield a new folder for a tool process; the folder contains the table as Parquet.

        `blobs` must contain the file if the chat's own store does not.
        """
        with tempfile.TemporaryDirectory(prefix="anabranch-result-") as folder:
            scratch = Path(folder)
            self.fetch(source, scratch / FILE, blobs or self._workspaces.blobs(source.chat_id))
            yield scratch

    def fetch(self, source: TableSource, target: Path, blobs: BlobStore) -> None:
        """Write the table in `blobs` to `target` as Parquet."""
        if is_link(source.path):
            self._fetch_linked(source, target, blobs)
        elif PurePosixPath(source.path).suffix.lower() in (".parquet", ".pq"):
            with target.open("wb") as stream:
                blobs.copy_to(source.sha256, stream.fileno())
        else:
            copy_file(self._typed(source, blobs), target)

    def _fetch_linked(self, source: TableSource, target: Path, blobs: BlobStore) -> None:
        """Write the first rows of a linked table, as many as a page can show."""
        with tempfile.TemporaryDirectory(prefix="anabranch-link-") as folder:
            link = Path(folder) / PurePosixPath(source.path).name
            link.write_bytes(blobs.read(source.sha256))
            select, reads = self._tables.linked(link.name, source.sha256, Path(folder))
        arguments: Mapping[str, JSON] = {"path": target.name, "select": select, "limit": LINKED_ROWS}
        self.call(target.parent, "anabranch_tool.linked_tables:first_rows", arguments, readable=reads)

    def _typed(self, source: TableSource, blobs: BlobStore) -> Path:
        """Return the path of the table's Parquet file in the cache of tables, from which queries read too."""

        def fetch(file: Path) -> None:
            with file.open("wb") as target:
                if source.content is not None:
                    target.write(source.content)
                else:
                    blobs.copy_to(source.sha256, target.fileno())

        found = self._tables.typed(source.path, source.sha256, source.sheet, fetch)
        if isinstance(found, str):
            raise Unavailable("result_unread", f"This result cannot be read: {found}")
        return found

    def run(
        self,
        scratch: Path,
        function: str,
        arguments: Mapping[str, JSON],
        written: bool = False,
    ) -> Mapping[str, Any]:
        """Call `function` in the library's module `results` on the table in `scratch`."""
        return self.call(scratch, f"anabranch_tool.results:{function}", {"path": FILE, **arguments}, written)

    def call(
        self,
        scratch: Path,
        entrypoint: str,
        arguments: Mapping[str, JSON],
        written: bool = False,
        readable: tuple[Path, ...] = (),
    ) -> Mapping[str, Any]:
        """Call a library function in a tool process whose folder is `scratch`. `written` says that it writes a file.

        Raises Unavailable if the function fails (`result_unread`, or `result_unwritten` if `written`)."""
        request = RunRequest(
            call_id="result",
            bundle=None,
            entrypoint=entrypoint,
            workspace=scratch,
            arguments=arguments,
            limits=Limits(result_bytes=64 << 20, seconds=_SECONDS),
            readable=readable,
        )
        outcome = self._pool.run(request, cancel=Cancellation())
        if outcome.value is None:
            reason = outcome.error.message if outcome.error else outcome.status
            reason = reason.removeprefix("ValueError: ")
            if written:
                raise Unavailable("result_unwritten", f"This result cannot be written: {reason}")
            raise Unavailable("result_unread", f"This result cannot be read: {reason}")
        return outcome.value


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's content."""
    with source.open("rb") as read, target.open("wb") as written:
        copy_content(read.fileno(), written.fileno())
