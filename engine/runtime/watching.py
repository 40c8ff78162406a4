"""What all processes of a call use together, watched by its supervisor: the kernel's limits count one process each."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["CALLED", "EVERY", "Watch"]

CALLED = b"c"
"""What the engine tells a supervisor when it hands over a call; all else asks for the end."""
EVERY = 0.05
"""Seconds between looks."""
_TASKS = 512
"""Processes and threads."""
_MEMORY_SHARE = 0.75
"""Of the machine's memory, for what is a call's own: pages that it shares with the host do not count."""
_ROOM = 256 << 20
"""Bytes of disk that a call may not use up; nor is one ended that used less than these."""


class Watch:
    """Looks at what is below one supervisor."""

    def __init__(self, child: int) -> None:
        """`child` is the process of the call, whose folder tells the disk that is watched."""
        self._child = child
        self._next = 0.0
        self._most_memory = _MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self._room_before: int | None = None

    def over(self) -> str:
        """Which limit the call is over: `processes`, `memory` or `disk`; empty where none, or looked at just now."""
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + EVERY
        tasks = memory = 0
        for pid in _below(os.getpid()):
            status = _status(pid)
            tasks += status.get("Threads", 1)
            memory += (status.get("RssAnon", 0) + status.get("RssShmem", 0)) * 1024
            if tasks > _TASKS:
                return "processes"
        if memory > self._most_memory:
            return "memory"
        return "disk" if self._disk_is_full() else ""

    def _disk_is_full(self) -> bool:
        try:
            room = shutil.disk_usage(f"/proc/{self._child}/cwd").free
        except OSError:
            return False
        if self._room_before is None:
            self._room_before = room
        return room < _ROOM and self._room_before - room > _ROOM


def _below(pid: int) -> Iterator[int]:
    """Every descendant; what begins or ends meanwhile may be missed."""
    waiting = [pid]
    while waiting:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
                children = [int(child) for child in (task / "children").read_text().split()]
                waiting += children
                yield from children


def _status(pid: int) -> dict[str, int]:
    found = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in {"Threads", "RssAnon", "RssShmem"}:
                found[name] = int(rest.split()[0])
    return found
