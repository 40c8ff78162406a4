"""The engine's view of a tool process, and a process that is started in advance of its call."""

import contextlib
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

__all__ = ["HostFailed", "PreforkedProcess", "Process"]


@dataclass(frozen=True, slots=True)
class Process:
    """The engine's ends of the connections to a tool process, and the means to kill the process with everything that it
    started.
    """

    channel: socket.socket
    status: socket.socket
    """The socket with lines of JSON: `pid`, then `exit`. It is closed when the process and its supervisor have
    ended."""
    stdout: int
    stderr: int
    kill: Callable[[], None]

    def wait(self, seconds: float) -> None:
        """Wait until the process has ended, at most for `seconds`."""
        self.status.settimeout(seconds)
        with contextlib.suppress(OSError):
            while self.status.recv(1 << 12):
                pass

    def close(self) -> None:
        """Close all ends, which kills the process if it is still running."""
        self.channel.close()
        self.status.close()
        os.close(self.stdout)
        os.close(self.stderr)


class HostFailed(Exception):
    """Raised if tool processes cannot be started. The message is shown to users."""

    def __init__(self) -> None:
        super().__init__("Could not start the process that runs tools. Run `anabranch doctor` for details.")


class PreforkedProcess:
    """Keeps one process ready that has no call yet, so that a call need not wait for its start.

    Each process serves one call and ends with it. It receives the call's rights only together with the call.
    """

    def __init__(self, begin: Callable[[], Process]) -> None:
        self._begin = begin
        self._lock = Lock()
        self._ready: Process | None = None
        self._closed = False

    def prepare(self) -> None:
        """Start a process if none is ready. A failure is not reported here, but to the call that needs the process."""
        with self._lock, contextlib.suppress(HostFailed, OSError):
            if self._ready is None and not self._closed:
                self._ready = self._begin()

    def is_ready(self) -> bool:
        """Whether a process is ready or starting."""
        return self._ready is not None

    def take(self) -> Process:
        """Return the ready process, or a new one; raises HostFailed."""
        with self._lock:
            process, self._ready = self._ready, None
        return process or self._begin()

    def drop(self, *, close: bool = False) -> None:
        """End the ready process; with `close`, no other process is started in advance."""
        with self._lock:
            self._closed = self._closed or close
            process, self._ready = self._ready, None
        if process is not None:
            process.kill()
            process.close()
