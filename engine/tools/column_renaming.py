"""Copies a table file and renames some of its columns, so that recorded calls can read it."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from engine.errors import Invalid
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from engine.system.cancellation import Cancellation
from engine.tools.table_kinds import why
from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import FileEntry

__all__ = ["ColumnRenaming"]

_SECONDS = 300.0
_LARGEST = 32 << 30


class ColumnRenaming:
    """Makes copies of files with renamed columns. Thread-safe."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def renamed(self, path: str, entry: FileEntry, names: Mapping[str, str], blobs: BlobStore) -> FileEntry:
        """Return a copy of a file in `blobs` with renamed columns; `names` maps a column in the file to its name in the
        copy.

        Raises:
            Invalid: the header cannot be changed (`column_words`).
        """
        with tempfile.TemporaryDirectory(prefix="anabranch-columns-") as folder:
            scratch, name = Path(folder), path.rpartition("/")[2]
            target = f"named-{name}"
            with (scratch / name).open("wb") as stream:
                blobs.copy_to(entry.sha256, stream.fileno())
            request = RunRequest(
                call_id="columns",
                bundle=None,
                entrypoint="anabranch_tool.rename_columns:rename",
                workspace=scratch,
                arguments={"path": name, "target": target, "names": dict(names)},
                limits=Limits(seconds=_SECONDS, file_bytes=_LARGEST),
            )
            outcome = self._pool.run(request, cancel=Cancellation())
            if outcome.value is None:
                reason = why(outcome).removeprefix("ValueError: ")
                raise Invalid(
                    "column_words", f"The columns of the new {path} were not matched: {reason}. No call ran."
                )
            blob = blobs.put_file(scratch / target)
        return FileEntry(blob.sha256, blob.size, entry.executable)
