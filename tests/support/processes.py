"""Checks whether processes of tests have ended."""

import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Life", "gone", "life"]


def gone(pid: int) -> bool:
    """Whether a process has ended; waits a moment for a process that was just killed."""
    if not hasattr(os, "pidfd_open"):  # on systems other than Linux
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return state.stdout.strip()[:1] in ("", "Z")
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 600)[0])
    finally:
        os.close(process)


class Life:
    """A pipe that tools keep open; it shows when the last of these tools has ended, whatever their process ids.

    In a tool: `held = os.open("life", os.O_WRONLY); os.write(held, b"x")`, and `held` is left open.
    """

    def __init__(self, reading: int) -> None:
        self._reading = reading
        self._taken = False

    def taken(self, seconds: float = 600) -> bool:
        """Return whether a process wrote to the pipe within `seconds`."""
        ready, _, _ = select.select([self._reading], [], [], seconds)
        self._taken = bool(ready) and os.read(self._reading, 1) == b"x"
        return self._taken

    def over(self, seconds: float = 600) -> bool:
        """Return whether a process wrote to the pipe and all have closed it within `seconds`."""
        if not (self._taken or self.taken(0)):
            return False
        while select.select([self._reading], [], [], seconds)[0]:
            if not os.read(self._reading, 1 << 12):
                return True
        return False


@contextmanager
def life(folder: Path) -> Iterator[Life]:
    """Create the pipe `life` in `folder`."""
    os.mkfifo(folder / "life")
    reading = os.open(folder / "life", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield Life(reading)
    finally:
        os.close(reading)
