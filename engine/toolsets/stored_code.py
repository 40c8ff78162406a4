"""Compares a stored toolset with its recorded hashes: before any of its code runs, and for `anabranch check`.

Every file is hashed the first time. After that, a call compares only sizes, times and inodes, and hashes a file again
if one of them has changed. Files that changed a moment ago are hashed each time, because a second change could leave
the same times.
"""

import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Literal, Protocol, TypeAlias

from engine.workspace.hashing import digest_of
from events.late_dataclass import dataclass

__all__ = ["Deviation", "Recorded", "StoredCode", "deviations", "named"]

_GRANULARITY_NS = 2_000_000_000
"""Within this number of nanoseconds after a change, a file can change again and keep the same times."""
_OF_THE_SYSTEM = {".DS_Store", "Thumbs.db", "desktop.ini"}
"""Files that file managers leave and that Python cannot import."""


class Recorded(Protocol):
    """The recorded facts of one file."""

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        ...


@dataclass(frozen=True, slots=True)
class Deviation:
    """A stored file that differs from the installed one."""

    path: str
    """The path from the bundle's root."""
    what: Literal["changed", "missing", "added", "linked"]


_Stamp: TypeAlias = tuple[tuple[str, int, int, int, int, int], ...]
"""Path, mode, size, mtime, ctime and inode of each file."""


@dataclass(frozen=True, slots=True)
class _Verified:
    stamp: _Stamp
    hashes: Mapping[str, str]


class StoredCode:
    """Remembers which folders were verified, and the state of their files at that time. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._verified: dict[Path, _Verified] = {}

    def deviations(self, folder: Path, recorded: Mapping[str, Recorded]) -> tuple[Deviation, ...]:
        """Return the files below `folder` that differ from `recorded` (path → hash); empty if all files are as
        installed."""
        hashes = {path: file.sha256 for path, file in recorded.items()}
        now, stamp = time.time_ns(), _stamp(folder)
        with self._lock:
            seen = self._verified.get(folder)
        if seen is not None and seen.stamp == stamp and seen.hashes == hashes:
            return ()
        found = deviations(folder, hashes)
        settled = all(max(mtime, ctime) < now - _GRANULARITY_NS for _, _, _, mtime, ctime, _ in stamp)
        with self._lock:
            if not found and settled:
                self._verified[folder] = _Verified(stamp, hashes)
            else:
                self._verified.pop(folder, None)
        return found


def deviations(folder: Path, hashes: Mapping[str, str]) -> tuple[Deviation, ...]:
    """Hash every file below `folder`, and return the files that differ from `hashes`, in the order of their paths."""
    found = dict.fromkeys(hashes, "missing")
    found |= {path: _compared(folder / path, mode, hashes.get(path)) for path, mode in _modes(folder)}
    return tuple(Deviation(path, what) for path, what in sorted(found.items()) if what != "same")  # type: ignore[arg-type]


def named(found: tuple[Deviation, ...]) -> str:
    """Return a phrase that names the first files that differ and how, to be used in a sentence."""
    words = {"changed": "was changed", "missing": "is missing", "added": "was added", "linked": "is a link"}
    told = ", ".join(f"{one.path or 'its folder'} {words[one.what]}" for one in found[:3])
    return told + (f" (and {len(found) - 3:,} more)" if len(found) > 3 else "")


def _compared(file: Path, mode: int, expected: str | None) -> str:
    if stat.S_ISLNK(mode):
        return "linked"
    if expected is None:
        return "added"
    if not stat.S_ISREG(mode):
        return "changed"
    try:
        with file.open("rb") as stream:
            return "same" if digest_of(stream)[0] == expected else "changed"
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "changed"


def _stamp(folder: Path) -> _Stamp:
    """Return facts about all files that change when a file changes, without reading any file."""
    return tuple(
        sorted(
            (path, s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
            for path, s in _statuses(folder)
        )
    )


def _modes(folder: Path) -> Iterator[tuple[str, int]]:
    return ((path, status.st_mode) for path, status in _statuses(folder))


def _statuses(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the path and status of each file below `folder`, and of each link to a folder. If `folder` itself is not a
    folder, yield only its own status, with the path ''.
    """
    try:
        own = folder.lstat()
    except OSError:
        return
    if not stat.S_ISDIR(own.st_mode):
        yield "", own
        return
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(f"{folder}/{below}") as listed:
                entries = list(listed)
        except OSError:
            continue  # the files in it are then reported as missing
        for entry in entries:
            path = f"{below}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")
            elif entry.name not in _OF_THE_SYSTEM:
                try:
                    yield path, entry.stat(follow_symlinks=False)
                except OSError:
                    continue
