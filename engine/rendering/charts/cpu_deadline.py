"""Waits for a process and limits the processor time that it uses, so that a busy machine causes no timeout."""

import os
import select
import socket
import time
from pathlib import Path

__all__ = ["PATIENCE", "wait_for"]

PATIENCE = 15
"""The limit on elapsed time as a multiple of the limit on processor time, for processes that get only a share of a
processor.
"""
_LOOK = 0.25


def wait_for(channel: socket.socket, pid: int, seconds: float) -> None:
    """Wait until something can be read from `channel`, but stop once the process `pid` has used `seconds` of CPU time.

    Raises:
        TimeoutError: the process has used that much CPU time, or `PATIENCE` times as many seconds have elapsed.
    """
    began, worked = time.monotonic(), _worked(pid)
    while not select.select([channel], [], [], min(_LOOK, seconds))[0]:
        took = time.monotonic() - began
        used = _worked(pid)
        mine = took if used is None or worked is None else used - worked
        if (took >= seconds and mine >= seconds) or took >= PATIENCE * seconds:
            raise TimeoutError


def _worked(pid: int) -> float | None:
    """Return the seconds of processor time that a process has used, with all its threads; None if the system does not
    report it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
