"""Checks an incoming bundle, a ZIP or a folder: every entry is checked before any byte is written.

Each file is read once to compute its hash, and a bundle can be copied only after all files were read.
Hidden files, `__pycache__`, `__MACOSX` and compiled Python do not belong to a bundle and are left out.
"""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.errors import Problem
from engine.toolsets.bundle_sources import BUNDLE, FolderSource, Limits, Source, ZipSource, open_zip
from engine.toolsets.problems import invalid_bundle
from events.canonical import canonical_json
from events.late_dataclass import dataclass

__all__ = ["BundleFile", "BundleFiles", "content_hash", "open_bundle"]

MAX_ARCHIVE_BYTES = 100 << 20
CHUNK = 1 << 20

_READ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, struct.error)


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a bundle."""

    path: str
    """The path from the bundle's root, with `/`."""
    sha256: str
    size: int
    """The size in bytes."""


class BundleFiles:
    """A bundle whose files were all read completely; their bytes are read again on request."""

    def __init__(self, source: Source, entries: Mapping[str, BundleFile]) -> None:
        self._source = source
        self.folder = source.folder
        self.entries = dict(sorted(entries.items()))
        self.content_hash = content_hash(tuple(self.entries.values()))

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def read(self, path: str) -> bytes:
        """Return a file's bytes.

        Raises:
            Invalid: the file changed while the bundle was open (`source_changed`).
        """
        entry = self.entries[path]
        try:
            with self._source.open(path) as file:
                data = file.read(entry.size + 1)
        except _READ_ERRORS:
            data = b""
        if len(data) != entry.size or hashlib.sha256(data).hexdigest() != entry.sha256:
            message = "it changed while it was being read; try again when nothing is writing to it"
            raise invalid_bundle([Problem("source_changed", message, path)])
        return data


def content_hash(files: Sequence[BundleFile]) -> str:
    """Return the SHA-256 over the sorted paths, hashes and sizes: a bundle's identity."""
    rows = sorted([file.path, file.sha256, file.size] for file in files)
    return hashlib.sha256(canonical_json(rows).encode()).hexdigest()


@contextmanager
def open_bundle(source: Path | bytes, limits: Limits = BUNDLE) -> Iterator[BundleFiles]:
    """Open a bundle and check its files. A bundle is a folder or a ZIP, given as a path or as bytes.

    Pass other `limits` for another kind of archive.

    Raises:
        Invalid: lists every problem of its entries (code `invalid_bundle`).
    """
    if isinstance(source, Path) and source.is_dir():
        from_folder = FolderSource(source)
        yield BundleFiles(from_folder, _hash_all(from_folder, from_folder.sizes))
        return
    if isinstance(source, Path) and not source.is_file():
        message = f"{source.name} is neither a file nor a folder; check the path"
        raise invalid_bundle([Problem("source_missing", message, source.name)])
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    name = "archive" if isinstance(source, bytes) else source.name
    most = MAX_ARCHIVE_BYTES if limits.archive_bytes is None else limits.archive_bytes
    if size > most:
        message = f"the archive has {size:,} bytes; the limit is {most:,}"
        raise invalid_bundle([Problem("archive_too_large", message, name)])
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        from_zip = ZipSource(open_zip(file, size, name, limits), limits)
        yield BundleFiles(from_zip, _hash_all(from_zip, from_zip.sizes))


def _hash_all(source: Source, sizes: Mapping[str, int]) -> dict[str, BundleFile]:
    """Read every file once. Nothing in a file is trusted before the whole file was read."""
    entries: dict[str, BundleFile] = {}
    problems: list[Problem] = []
    for path, expected in sorted(sizes.items()):
        digest, size = hashlib.sha256(), 0
        try:
            with source.open(path) as file:
                while size <= expected and (chunk := file.read(min(CHUNK, expected + 1 - size) or 1)):
                    digest.update(chunk)
                    size += len(chunk)
        except _READ_ERRORS as error:
            problems.append(
                Problem("corrupt_entry", f"it cannot be read: {error}; pack the bundle again", path)
            )
            continue
        if size != expected:
            message = f"its size is not the {expected:,} bytes declared; pack the bundle again"
            problems.append(Problem("size_mismatch", message, path))
        entries[path] = BundleFile(path, digest.hexdigest(), size)
    if problems:
        raise invalid_bundle(problems)
    return entries
