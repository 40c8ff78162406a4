"""The sources from which a bundle is read: a folder or a ZIP. Each is checked as a whole before anything is read from
it.

`zipfile.extractall` silently repairs `../evil.py` and keeps the last of two equal names. So this module does not use
it, but checks every entry of the central directory, and extracts nothing by name.
"""

import os
import stat
import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO, Protocol

from engine.errors import Problem
from engine.toolsets.bundle_paths import ignored, path_problems, shown, wrapping_folder
from engine.toolsets.problems import invalid_bundle
from events.late_dataclass import dataclass

__all__ = ["BUNDLE", "FolderSource", "Limits", "Source", "ZipSource", "open_zip"]

MAX_ENTRIES = 2_000
MAX_BYTES = 100 << 20
MAX_RATIO = 200
RATIO_FREE_BYTES = 1 << 20
MAX_DIRECTORY_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an archive; the defaults are the limits of a bundle."""

    archive_bytes: int | None = None
    """The limit on the archive itself; None: the usual limit."""
    entries: int = MAX_ENTRIES
    bytes: int = MAX_BYTES
    """The limit on all unpacked files together."""
    directory_bytes: int = MAX_DIRECTORY_BYTES
    ratio: int | None = MAX_RATIO
    """The largest ratio of an entry's unpacked size to its packed size; None if only `bytes` limits the unpacked size.
    """


BUNDLE = Limits()

_END = struct.Struct("<4s4H2LH")
_LOCAL_HEADER = 30


class Source(Protocol):
    """The place from which the bytes of a bundle's files are read."""

    folder: str
    """The name of the folder with the files; empty if there is no such folder."""

    def open(self, path: str) -> IO[bytes]:
        """Open one file for reading."""
        ...


class FolderSource:
    """A bundle's folder on disk; links and special files are refused, never followed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.folder = Path(os.path.abspath(root)).name  # noqa: PTH100 - links in it keep their names
        self.sizes: dict[str, int] = {}
        names: list[str] = []
        problems: list[Problem] = []
        pending = [root]
        while pending and len(names) <= MAX_ENTRIES:
            folder = pending.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                path = folder.relative_to(root).as_posix()
                problems.append(Problem("corrupt_entry", f"it cannot be read: {error.strerror}", shown(path)))
                continue
            for entry in entries:
                path = Path(entry.path).relative_to(root).as_posix()
                if ignored(path):
                    continue
                names.append(path)
                if entry.is_dir(follow_symlinks=False):
                    pending.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    self.sizes[path] = entry.stat(follow_symlinks=False).st_size
                else:
                    problems.append(_special(path))
        problems += _limits(names, sum(self.sizes.values()), BUNDLE)
        problems += path_problems(names, set(self.sizes))
        if problems:
            raise invalid_bundle(problems)

    def open(self, path: str) -> IO[bytes]:
        """Open one regular file of the folder."""
        return os.fdopen(_open_regular(self._root / path), "rb")


class ZipSource:
    """A bundle's archive, whose central directory was checked as a whole."""

    def __init__(self, archive: zipfile.ZipFile, limits: Limits = BUNDLE) -> None:
        self._archive = archive
        infos = archive.infolist()
        names = [info.orig_filename.removesuffix("/") for info in infos]
        files = [info for info in infos if not info.orig_filename.endswith("/")]
        problems = _limits(names, sum(info.file_size for info in files), limits)
        if not problems:
            problems += path_problems(names, {info.orig_filename for info in files})
            problems += [problem for info in infos for problem in _entry_problems(info, limits)]
            problems += _overlaps(infos)
        if problems:
            raise invalid_bundle(problems)
        kept = [info for info in files if not ignored(info.filename)]
        folder = wrapping_folder([info.filename for info in kept])
        self.folder = folder.removesuffix("/")
        self._infos = {info.filename.removeprefix(folder): info for info in kept}
        self.sizes = {path: info.file_size for path, info in self._infos.items()}

    def open(self, path: str) -> IO[bytes]:
        """Open one entry for reading."""
        entry: IO[bytes] = self._archive.open(self._infos[path])
        return entry


def open_zip(file: BinaryIO, size: int, name: str, limits: Limits = BUNDLE) -> zipfile.ZipFile:
    """Open an archive. Its directory is examined before zipfile reads it into memory.

    Raises:
        Invalid: the file is not a valid ZIP (`not_a_zip`, `archive_zip64`, `too_many_entries`, `name_encoding`).
    """
    end = _end_record(file, size)
    if end is None:
        message = "it is not a ZIP archive, or it is incomplete; pack the bundle's folder as a ZIP"
        raise invalid_bundle([Problem("not_a_zip", message, name)])
    offset, entries, directory_bytes = end
    file.seek(max(0, offset - 20))
    if file.read(4) == b"PK\x06\x07" or entries == 0xFFFF or directory_bytes == 0xFFFFFFFF:
        message = "it is a ZIP64 archive, and no bundle is large enough to need ZIP64; pack it without ZIP64"
        raise invalid_bundle([Problem("archive_zip64", message, name)])
    if entries > limits.entries or directory_bytes > limits.directory_bytes:
        message = f"the archive contains {entries:,} entries; the limit is {limits.entries:,}"
        raise invalid_bundle([Problem("too_many_entries", message, name)])
    try:
        return zipfile.ZipFile(file)
    except UnicodeDecodeError:
        message = "a name in it claims to be UTF-8 but is not; pack the bundle again"
        raise invalid_bundle([Problem("name_encoding", message, name)]) from None
    except (
        zipfile.BadZipFile,
        struct.error,
        ValueError,
        OverflowError,
        NotImplementedError,
        OSError,
    ) as error:
        message = f"it is not a complete ZIP archive: {error}; pack the bundle again"
        raise invalid_bundle([Problem("not_a_zip", message, name)]) from None


def _end_record(file: BinaryIO, size: int) -> tuple[int, int, int] | None:
    """Return the place of the end record, the number of entries that it declares, and the size of the directory in
    bytes. The search for the record works as in zipfile.
    """
    for comment in (0, 0xFFFF):
        start = max(0, size - _END.size - comment)
        file.seek(start)
        tail = file.read()
        found = tail.rfind(b"PK\x05\x06")
        if found >= 0 and len(tail) - found >= _END.size and (comment or tail[-2:] == b"\0\0"):
            fields = _END.unpack_from(tail, found)
            return start + found, int(fields[4]), int(fields[5])
    return None


def _limits(names: Sequence[str], size: int, limits: Limits) -> list[Problem]:
    problems = []
    if len(names) > limits.entries:
        message = f"the bundle contains more than {limits.entries:,} files and folders; remove files that no tool needs"
        problems.append(Problem("too_many_entries", message))
    if size > limits.bytes:
        message = (
            f"the bundle unpacks to {size:,} bytes; the limit is {limits.bytes:,}; "
            "remove files that no tool needs"
        )
        problems.append(Problem("bundle_too_large", message))
    return problems


def _special(path: str) -> Problem:
    message = "it is a link or a special file; put a copy of the file in its place"
    return Problem("link_or_special", message, shown(path))


def _entry_problems(info: zipfile.ZipInfo, limits: Limits) -> Iterator[Problem]:
    path = shown(info.orig_filename)
    if info.flag_bits & 0x41:
        yield Problem("encrypted", "the entry is encrypted; pack the bundle without a password", path)
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        message = f"it is compressed with method {info.compress_type}; use deflate, as zip does by default"
        yield Problem("compression_method", message, path)
    if stat.S_IFMT(info.external_attr >> 16) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        yield _special(info.orig_filename)
    if not info.flag_bits & 0x800 and not info.orig_filename.isascii():
        message = "the name is in an unknown encoding; pack with UTF-8 names or rename the file"
        yield Problem("name_encoding", message, path)
    ratio = limits.ratio
    if ratio and info.file_size > RATIO_FREE_BYTES and info.file_size > ratio * max(1, info.compress_size):
        message = (
            f"it unpacks to more than {ratio} times its packed size, like an archive bomb; add this file to the ZIP "
            "without compression"
        )
        yield Problem("compression_ratio", message, path)
    if info.orig_filename.endswith("/") and info.file_size:
        yield Problem("file_and_folder", "it is named like a folder but contains data; rename it", path)


def _overlaps(infos: Sequence[zipfile.ZipInfo]) -> Iterator[Problem]:
    """Find entries that share bytes. With them, a small archive can unpack to any size."""
    reached = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < reached:
            message = "it shares its bytes with another entry, as in an archive bomb; pack the bundle again"
            yield Problem("overlapping_entries", message, shown(info.orig_filename))
        name_bytes = len(info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437", "replace"))
        reached = max(reached, info.header_offset + _LOCAL_HEADER + name_bytes + info.compress_size)


def _open_regular(path: Path) -> int:
    """Open a file without following a link or waiting for a pipe, because the folder may have changed since it was
    listed.
    """
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(None, "it is not a regular file")
    return handle
