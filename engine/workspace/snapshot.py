"""Records what a folder contains now, reading only files whose status changed since the last read.

Links are never followed. A link is left out and reported even if its target is in the folder: a manifest contains
only files, and the target is stored under its own name. The same is true of devices, pipes, sockets, and names that
not every system can restore. Empty folders are not stored.

A file's recorded status is trusted only if, when the file was read, its last change was longer ago than the clock's
granularity (git calls other files "racily clean"); until then the file is read again each time. Take snapshots only
while nothing is being written: a write through a memory map does not update the timestamp.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeAlias

from engine.errors import Refused
from engine.workspace.blobs import Blob, BlobStore
from engine.workspace.hashing import CHUNK, digest_of
from engine.workspace.limits import USUAL, WorkspaceLimits, in_units
from engine.workspace.manifest import FileEntry, Files
from engine.workspace.oddities import mostly_holes, without_privileges
from engine.workspace.open_folder import OpenFolder, open_root
from engine.workspace.paths import MAX_DEPTH, unusable_name
from engine.workspace.readers import FileToRead, Readers, Unreadable
from events.late_dataclass import dataclass

__all__ = ["FolderState", "Skipped", "Snapshot"]

_REPORTED = 200
_Key: TypeAlias = tuple[int, int, int, int, int]
"""A file's inode, size, mtime and ctime in nanoseconds, and mode."""
_Take: TypeAlias = Callable[[BinaryIO], Blob]
_Taken: TypeAlias = tuple[Blob, os.stat_result] | str
"""A file's content and its status after reading, or the reason why it cannot be read."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry of the folder that is not stored, and the reason."""

    path: str
    """The path as readable text; bytes that are not UTF-8 are written as `\\xNN`."""
    reason: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A folder's files, all of them in the blob store, and the entries that were left out."""

    files: Files
    skipped: tuple[Skipped, ...] = ()
    read: int = 0
    """The number of files that had to be read. The contents of the other files were already known."""


class FolderState:
    """One folder and the known facts about its files. Not thread-safe; `Workspace` takes a lock."""

    def __init__(self, folder: Path, limits: WorkspaceLimits = USUAL) -> None:
        self.folder = folder
        self._limits = limits
        self._known: dict[str, tuple[_Key, FileEntry]] = {}
        self._unstored: set[str] = set()
        """The hashes that `look` found. Their files are known but have not been put into the store."""

    def snapshot(self, blobs: BlobStore) -> Snapshot:
        """Return the folder's files, after durably storing new ones in `blobs`.

        Raises Refused if the folder exceeds the limits.
        """
        _require_few(self.folder, self._limits)
        known = self._known
        if self._unstored:
            known = {path: kept for path, kept in known.items() if kept[1].sha256 not in self._unstored}
        with blobs.batch() as batch:
            walk = _Walk(known, self._limits, batch.put_stream)
            walk.run(self.folder)
        self._known, self._unstored = walk.trusted, set()
        return Snapshot(dict(sorted(walk.files.items())), walk.report(), walk.read)

    def look(self) -> "_Walk":
        """Walk through the folder without storing anything."""
        walk = _Walk(self._known, WorkspaceLimits(files=1 << 40), _hash_only)
        walk.run(self.folder)
        self._known = walk.trusted
        self._unstored |= walk.hashes
        return walk

    def lost(self, hashes: Iterable[str]) -> None:
        """Record that these blobs are no longer in the store."""
        self._unstored.update(hashes)

    def stands_on(self, files: Files) -> None:
        """Record that `files`, which the folder contains, are in the store."""
        self._unstored.difference_update(entry.sha256 for entry in files.values())


class _Walk:
    def __init__(
        self, known: dict[str, tuple[_Key, FileEntry]], limits: WorkspaceLimits, take: _Take
    ) -> None:
        self._known, self._limits, self._take = known, limits, take
        self._most_bytes = float("inf") if limits.bytes is None else limits.bytes
        self.files: dict[str, FileEntry] = {}
        self.trusted: dict[str, tuple[_Key, FileEntry]] = {}
        self.folders: list[str] = []
        """Every folder that was entered, parents first."""
        self.contentless: list[str] = []
        """The paths of links, pipes, sockets and devices."""
        self.read = 0
        self.hashes: set[str] = set()
        """The hashes of the files that were read."""
        self._skipped: list[Skipped] = []
        self._left_out = 0
        self._entries = self._bytes = 0
        self._readers = Readers()

    def run(self, root: Path) -> None:
        with open_root(root) as folder, self._readers:
            if folder.descriptor >= 0 and os.fstat(folder.descriptor).st_mode & _OTHERS:
                os.fchmod(folder.descriptor, 0o700)
            self._enter(folder, "", 0)

    def report(self) -> tuple[Skipped, ...]:
        more = self._left_out - len(self._skipped)
        rest = (Skipped("…", f"and {more} more of this kind"),) if more else ()
        return (*sorted(self._skipped, key=lambda skipped: skipped.path), *rest)

    def _enter(self, here: OpenFolder, prefix: str, depth: int) -> None:
        """Record the entries of a folder. This is the hot loop: a known file costs one `lstat` and one comparison."""
        known, files, trusted = self._known, self.files, self.trusted
        below: list[str] = []
        with here.entries() as entries:
            for entry in entries:
                path = prefix + entry.name
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    # for example, an editor's temporary file that was removed since the listing
                    continue
                if status.st_mode & _OTHERS:
                    status = here.close_to_others(entry.name, status)
                self._entries += 1
                if stat.S_ISREG(status.st_mode):
                    self._bytes += status.st_size
                if self._entries > self._limits.files or self._bytes > self._most_bytes:
                    self._refuse()
                key = _key(status)
                before = known.get(path)
                if before is not None and before[0] == key:
                    files[path] = before[1]
                    trusted[path] = before
                elif stat.S_ISDIR(status.st_mode):
                    below.append(entry.name)
                else:
                    self._add(here, entry.name, path, status)
        for name in below:
            self._descend(here, name, prefix + name, depth)

    def _descend(self, here: OpenFolder, name: str, path: str, depth: int) -> None:
        reason = unusable_name(name, path)
        if reason is None and depth >= MAX_DEPTH - 1:
            reason = f"it is nested deeper than {MAX_DEPTH} folders"
        if reason is not None:
            self._leave_out(path, reason)
            return
        try:
            folder = here.folder(name)
        except OSError as error:
            self._leave_out(path, f"the folder cannot be opened: {error.strerror}")
            return
        with folder:
            self.folders.append(path)
            self._enter(folder, path + "/", depth + 1)

    def _add(self, here: OpenFolder, name: str, path: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self.contentless.append(path)
            self._leave_out(path, _kind(status.st_mode))
            return
        self._read(here, name, path, unusable_name(name, path))

    def _read(self, here: OpenFolder, name: str, path: str, unusable: str | None) -> None:
        now = time.time_ns()
        try:
            file = FileToRead(here.open_file(name))
        except OSError as error:
            self._leave_out(path, unusable or f"it cannot be read: {error.strerror}")
            return
        before = without_privileges(file.fileno())
        reason = unusable or _not_kept(file.fileno(), before)
        if reason is not None:
            file.close()
            self._leave_out(path, reason)
            return
        job, then = partial(_taken, file, self._take), partial(self._record, path, before, now)
        if before.st_size < CHUNK:
            then(job())
        else:
            self._readers.submit(file, job, then)

    def _record(self, path: str, before: os.stat_result, now: int, taken: _Taken) -> None:
        if isinstance(taken, str):
            self._leave_out(path, f"it cannot be read: {taken}")
            return
        blob, after = taken
        self.read += 1
        self.hashes.add(blob.sha256)
        entry = FileEntry(blob.sha256, blob.size, bool(before.st_mode & stat.S_IXUSR))
        self.files[path] = entry
        if _key(before) == _key(after) and _settled(before, now):
            self.trusted[path] = (_key(before), entry)

    def _leave_out(self, path: str, reason: str) -> None:
        self._left_out += 1
        if len(self._skipped) < _REPORTED:
            readable = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
            self._skipped.append(Skipped(readable, reason))

    def _refuse(self) -> None:
        if self._entries > self._limits.files:
            raise _too_many(self._limits)
        raise Refused(
            "workspace_too_large",
            f"The chat's folder contains more than {in_units(self._limits.bytes or 0)}, which is the limit. Nothing "
            "was recorded. Remove large files that are not needed, or work on them in another chat.",
        )


def _require_few(folder: Path, limits: WorkspaceLimits) -> None:
    """Raise Refused if there are too many entries, before any is read: 100,000 files take minutes to store and to
    restore."""
    count = 0
    for _, folders, files in os.walk(folder):
        count += len(folders) + len(files)
        if count > limits.files:
            raise _too_many(limits)


def _too_many(limits: WorkspaceLimits) -> Refused:
    return Refused(
        "workspace_too_many",
        f"The chat's folder contains more than {limits.files:,} files and folders, which is the limit. Nothing was "
        "recorded. Put many small files into one, such as a Parquet file, or remove some.",
    )


_OTHERS = stat.S_IRWXG | stat.S_IRWXO | stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


def _key(status: os.stat_result) -> _Key:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


def _settled(status: os.stat_result, now: int) -> bool:
    """Return whether every later change of the file would change its status. This is so if the status is older than the
    clock's granularity.

    A status with microseconds comes from a clock that ticks at least every 10 ms; otherwise a granularity of 2 s is
    assumed (FAT).
    """
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    granularity = 50_000_000 if status.st_ctime_ns % 1_000_000 else 2_000_000_000
    return newest < now - granularity


def _kind(mode: int) -> str:
    kinds = [
        (
            stat.S_ISLNK,
            "it is a link: links are not recorded, only the files in the workspace that they point to",
        ),
        (stat.S_ISFIFO, "it is a pipe"),
        (stat.S_ISSOCK, "it is a socket"),
        (stat.S_ISDIR, "it is a folder now"),
    ]
    return next((text for test, text in kinds if test(mode)), "it is a device")


def _not_kept(file: int, status: os.stat_result) -> str | None:
    return mostly_holes(file, status) if stat.S_ISREG(status.st_mode) else _kind(status.st_mode)


def _taken(file: FileToRead, take: _Take) -> _Taken:
    with file:
        try:
            return take(file), os.fstat(file.fileno())
        except Unreadable as error:
            return str(error)


def _hash_only(stream: BinaryIO) -> Blob:
    return Blob(*digest_of(stream))
