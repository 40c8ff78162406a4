"""A process namespace for each call, so that /proc lists only the call's processes, and all of them end together.

The kernel treats the first process of such a namespace as its init: signals without a handler do not reach it, and when
it ends, all other processes are killed. A tool must not be the init, so a small process of Anabranch is the init, and
the tool is its sibling.
"""

import os
import signal
from pathlib import Path

from engine.runtime.sandbox import mounts
from engine.runtime.sandbox.namespaces import PROCESSES, leave

__all__ = ["Init", "possible"]


class Init:
    """The first process of a new namespace. The process that started it forks into the same namespace from then on."""

    def __init__(self) -> None:
        """Fork the init process. The calling process must have left the shared namespace and must not have forked
        since.
        """
        alive, held = os.pipe2(os.O_CLOEXEC)
        self.pid = os.fork()
        if self.pid == 0:
            _wait_for_the_end(alive)
        os.close(alive)
        self._held = held

    @classmethod
    def start(cls) -> "Init | None":
        """Leave the shared namespace and return the init of the new namespace; None if the system refuses."""
        return cls() if leave(PROCESSES) else None

    @property
    def held(self) -> int:
        """The descriptor that the starting process keeps open. When it is closed, everything in the namespace ends."""
        return self._held

    def end(self) -> None:
        """Kill everything in the namespace; return when no process in it is alive."""
        os.kill(self.pid, signal.SIGKILL)  # not reaped yet, so no other process has its number
        os.waitpid(self.pid, 0)


def possible() -> bool:
    """Return whether calls here can have a process namespace, with their own /proc; short-lived processes test this."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if leave(PROCESSES) and _lists_itself() else 1)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _lists_itself() -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if mounts.own_namespace() and Path("/proc/self").readlink().name == "1" else 1)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _wait_for_the_end(alive: int) -> None:
    """Let the kernel reap orphaned processes, as it does for a process that ignores SIGCHLD, until the parent
    is gone.
    """
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.closerange(0, alive)
        os.closerange(alive + 1, 65_536)
        os.read(alive, 1)
    finally:
        os._exit(0)
