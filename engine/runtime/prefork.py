"""A tool process seen from the engine, and one that is started before there is a call for it."""

import contextlib
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

__all__ = ["HostFailed", "PreforkedProcess", "Process"]


@dataclass(frozen=True, slots=True)
class Process:
    """Our ends of a tool process, and the way to kill it with everything that it started."""

    channel: socket.socket
    status: socket.socket
    """Lines of JSON: `pid`, then `exit`; closed when both it and its supervisor are gone."""
    stdout: int
    stderr: int
    kill: Callable[[], None]

    def wait(self, seconds: float) -> None:
        """Wait until the process has ended; at most `seconds`."""
        self.status.settimeout(seconds)
        with contextlib.suppress(OSError):
            while self.status.recv(1 << 12):
                pass

    def close(self) -> None:
        """Close every end, which kills the process if it still runs."""
        self.channel.close()
        self.status.close()
        os.close(self.stdout)
        os.close(self.stderr)


class HostFailed(Exception):
    """Processes for tools cannot be started; its text is for a person."""

    def __init__(self) -> None:
        super().__init__("The process that runs tools does not start. `anabranch doctor` tells more.")


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
        """Start a process if none is ready; a failure is left for the call that will need it."""
        with self._lock, contextlib.suppress(HostFailed, OSError):
            if self._ready is None and not self._closed:
                self._ready = self._begin()

    def is_ready(self) -> bool:
        """Whether a process is ready or starting."""
        return self._ready is not None

    def take(self) -> Process:
        """Return the process that is ready, or a new one; raises HostFailed."""
        with self._lock:
            process, self._ready = self._ready, None
        return process or self._begin()

    def drop(self, *, close: bool = False) -> None:
        """End the process that is ready; with `close`, no further one is started ahead."""
        with self._lock:
            self._closed = self._closed or close
            process, self._ready = self._ready, None
        if process is not None:
            process.kill()
            process.close()
