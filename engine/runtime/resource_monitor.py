"""Watches the total resources of a call's processes, because the kernel's limits apply to each process separately."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CALLED", "EVERY", "ResourceMonitor"]

CALLED = b"c"
"""The message that hands over a call to a supervisor. A line of JSON follows it, with `workspace`, `private`,
`file_bytes` and `memory_bytes`. There is no other message: the end of the stream asks the supervisor to end.
"""
_OF_A_PROCESS = {"Threads", "RssAnon", "RssShmem"}
EVERY = 0.05
"""The seconds between checks."""
_TASKS = 512
"""The maximum number of processes and threads."""
_MEMORY_SHARE = 0.75
"""The share of the machine's memory that a call's private pages may use. Pages that the call shares with the host do
not count.
"""
_ROOM = 256 << 20
"""The number of bytes of memory and of disk space that must stay free. If memory or disk space runs out, a call that
used less than this is not ended.
"""
_SHARE_LEFT = 0.03
"""The share of the machine's memory that must stay available. This is the only limit that includes kernel memory and
unmapped memory.
"""
_ENTRIES = 200_000
"""The maximum number of files and folders that a call may make, on file systems that count them."""
_PRIVATE_FILES = 4
"""The limit on a call's private folder, as a multiple of the largest file that it may write."""


class ResourceMonitor:
    """Watches the processes below one supervisor, and the file systems to which its call writes."""

    def __init__(self, folders: Sequence[Path], private: Path, file_bytes: int, memory_bytes: int) -> None:
        """`folders` lists the folders to which the call may write. One of them is `private`, which only this call uses.
        See `Limits` for the limits.
        """
        self._most_shared = memory_bytes
        self._workspaces, self._private = folders, private
        self._most_private = _PRIVATE_FILES * file_bytes
        self._next = 0.0
        self._machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self._memory_before = _available()
        self._rooms = {folder: _room(folder) for folder in folders}
        self._counted = dict.fromkeys(folders, 0)

    def over(self) -> str:
        """Return the limit that the call exceeds: `processes`, `memory` or `disk`; empty if it exceeds none, or if the
        limits were checked a moment ago.
        """
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + EVERY
        tasks = memory = 0
        for pid in _below(os.getpid()):
            status = _status(Path(f"/proc/{pid}/status"), _OF_A_PROCESS)
            tasks += status.get("Threads", 1)
            # RLIMIT_DATA does not limit shared memory
            if status.get("RssShmem", 0) * 1024 > self._most_shared:
                return "memory"
            memory += (status.get("RssAnon", 0) + status.get("RssShmem", 0)) * 1024
            if tasks > _TASKS:
                return "processes"
        if memory > _MEMORY_SHARE * self._machine or self._memory_is_used_up():
            return "memory"
        return "disk" if any(self._is_full(folder) for folder in self._workspaces) else ""

    def _memory_is_used_up(self) -> bool:
        available = _available()
        least = max(_ROOM, _SHARE_LEFT * self._machine)
        return available < least and self._memory_before - available > 2 * least

    def _is_full(self, folder: Path) -> bool:
        """Return whether the call has filled a file system, or used more of it than a call may use."""
        before, now = self._rooms[folder], _room(folder)
        used = before.bytes - now.bytes
        if now.bytes < _ROOM < used:
            return True
        if (
            before.entries - now.entries - self._counted[folder] > _ENTRIES
        ):  # other processes make files too, so count the call's own
            self._counted[folder] = before.entries - now.entries
            if sum(1 for _ in _entries(folder, _ENTRIES)) >= _ENTRIES:
                return True
        if folder != self._private or used < self._most_private:
            return False
        return (
            sum(entry.stat(follow_symlinks=False).st_blocks * 512 for entry in _entries(folder))
            > self._most_private
        )


@dataclass(frozen=True, slots=True)
class _Room:
    bytes: int
    entries: int
    """The number of files that can still be made; 0 if the file system does not report it."""


def _room(folder: Path) -> _Room:
    try:
        found = os.statvfs(folder)
    except OSError:
        return _Room(1 << 62, 0)
    return _Room(found.f_bavail * found.f_frsize, found.f_favail)


def _entries(folder: Path, most: int = 1 << 40) -> Iterator[os.DirEntry[str]]:
    """Yield up to `most` entries below a folder. Unreadable folders are skipped, and links are not followed."""
    waiting: list[str | Path] = [folder]
    found = 0
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                found += 1
                if found > most:
                    return
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _available() -> int:
    return _status(Path("/proc/meminfo"), {"MemAvailable"}).get("MemAvailable", 1 << 50) * 1024


def _below(pid: int) -> Iterator[int]:
    """Yield every descendant; processes that begin or end in the meantime may be missed."""
    waiting = [pid]
    while waiting:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
                children = [int(child) for child in (task / "children").read_text().split()]
                waiting += children
                yield from children


def _status(file: Path, names: Set[str]) -> dict[str, int]:
    found = {}
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in names:
                found[name] = int(rest.split()[0])
    return found
