"""A copy of the database's metadata, used to restore a block that a checkpoint left half written.

DuckDB writes the rows of a checkpoint to free blocks of its file, but it rewrites the blocks with its metadata
in place. If the process is killed during such a write, the block is half old and half new, and DuckDB refuses
to open the file. So a small separate file also contains these blocks, as they were after the last checkpoint.
"""

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import duckdb

from events.durable_files import replace_file
from events.late_dataclass import dataclass

__all__ = ["MetadataCopy", "restore_metadata"]

_SUFFIX = ".metadata"
_HEADER = 4096
_HEADERS = (4096, 8192)
"""Where the database's two headers begin. Each checkpoint overwrites the older header, and the new header gets a number
that is one higher.
"""
_FIRST_BLOCK = 12288


@dataclass(frozen=True, slots=True)
class _Kept:
    checkpoint: str
    """The hash of the header that the database's last complete checkpoint wrote."""
    block_size: int
    blocks: tuple[int, ...]
    sha256: str
    """The hash of the contents of all blocks, in order."""


class MetadataCopy:
    """Keeps the copy of an open database up to date. Only one thread may use it at a time."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._descriptor: int | None = None
        """The database file. It is closed only after DuckDB has closed it, because closing any descriptor of a file
        drops the process's locks on that file.
        """
        self._copied = ""

    def keep(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Write the copy, unless there is already a copy of the database's last checkpoint.

        Raises:
            OSError: a write to the disk failed; the previous copy stays but is not used.
            duckdb.Error: the database cannot be read.
        """
        if self._descriptor is None:
            self._descriptor = os.open(self._database, os.O_RDONLY)
        checkpoint = _last_checkpoint(self._descriptor)
        if checkpoint == self._copied or not os.path.samestat(
            os.fstat(self._descriptor), self._database.stat()
        ):
            return
        blocks = tuple(
            block
            for (block,) in connection.execute(
                "SELECT DISTINCT block_id FROM pragma_metadata_info() ORDER BY 1"
            ).fetchall()
        )
        ((block_size,),) = connection.execute("SELECT block_size FROM pragma_database_size()").fetchall()
        content = b"".join(os.pread(self._descriptor, size, at) for at, size in _places(blocks, block_size))
        # otherwise some blocks are only in the write-ahead log so far
        if len(content) == block_size * len(blocks):
            kept = _Kept(checkpoint, block_size, blocks, sha256(content).hexdigest())
            replace_file(
                _copy_of(self._database),
                json.dumps(asdict(kept)).encode() + b"\n" + zlib.compress(content, 1),
            )
            self._copied = checkpoint

    def close(self) -> None:
        """Close the database file, after DuckDB has closed it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._copied = ""


def restore_metadata(database: Path) -> bool:
    """Write the copied blocks back into a database that cannot be opened, and return whether it changed.

    Does nothing if the copy is missing or damaged, or if another checkpoint has completed since.

    Raises:
        OSError: the disk could not be read or written.
    """
    found = _read(_copy_of(database))
    if found is None:
        return False
    kept, content = found
    descriptor = os.open(database, os.O_RDWR)
    try:
        if _last_checkpoint(descriptor) != kept.checkpoint:
            return False
        changed = False
        for number, (at, size) in enumerate(_places(kept.blocks, kept.block_size)):
            block = content[number * size : (number + 1) * size]
            if os.pread(descriptor, size, at) != block:
                os.pwrite(descriptor, block, at)
                changed = True
        os.fsync(descriptor)
        return changed
    finally:
        os.close(descriptor)


def _copy_of(database: Path) -> Path:
    return database.with_name(f"{database.name}{_SUFFIX}")


def _places(blocks: tuple[int, ...], block_size: int) -> Iterator[tuple[int, int]]:
    return ((_FIRST_BLOCK + block * block_size, block_size) for block in blocks)


def _last_checkpoint(descriptor: int) -> str:
    headers = (os.pread(descriptor, _HEADER, at) for at in _HEADERS)
    return sha256(max(headers, key=lambda header: int.from_bytes(header[8:16], "little"))).hexdigest()


def _read(path: Path) -> tuple[_Kept, bytes] | None:
    """Return the copy; None if there is none, or it is damaged."""
    try:
        head, _, packed = path.read_bytes().partition(b"\n")
        kept = _Kept(**json.loads(head))
        content = zlib.decompress(packed)
    except (FileNotFoundError, ValueError, TypeError, zlib.error):
        return None
    if sha256(content).hexdigest() != kept.sha256 or len(content) != kept.block_size * len(kept.blocks):
        return None
    return kept, content
