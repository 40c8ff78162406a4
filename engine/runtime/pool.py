"""The engine's side of tool processes: each call returns one outcome in bounded time, whatever the tool does.

Every call has a separate process that ends with it, so no call sees the memory, working folder or modules of another
call, and an upgraded bundle never runs old code. A tool's failure is a value (`RunOutcome`), and so is a host that
cannot be started; only a closed pool raises an error.
"""

import contextlib
import json
import os
import signal
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from engine.config import Bounds
from engine.errors import Unavailable
from engine.runtime.call_monitor import Followed, follow
from engine.runtime.call_outcome import CANCELLED, outcome_of
from engine.runtime.hosts import Hosts, close_hosts, new_host, new_hosts
from engine.runtime.prefork import HostFailed, Process
from engine.runtime.private_folder import new_private_folder, sweep
from engine.runtime.processes import Host, clean_environment
from engine.runtime.protocol import Asked, Confinement, Limits, RunError, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.system.folder_removal import remove_tree

__all__ = ["OnOutput", "OnProgress", "Pool", "call_limits"]

_KILLING = 5.0
"""The seconds to wait for the end of a call that was killed because of another error, for example in a callback."""

OnOutput = Callable[[str, str], None]
"""Called with `stdout` or `stderr` and the text as it arrives, in the thread of `run`."""
OnProgress = Callable[[float | None, str], None]
"""Called with a fraction from 0 to 1, or None, and a text, in the thread of `run`."""


class Pool:
    """Runs tools in separate processes. Thread-safe. Close it, or use it as a context manager."""

    def __init__(
        self,
        *,
        python: Path | None = None,
        preload: Sequence[str] = (),
        fork: bool | None = None,
        at_least: Callable[[], Asked] = lambda: "strongest",
        without: Collection[str] = (),
        most: Limits | None = None,
        hosts: Hosts | None = None,
    ) -> None:
        """`preload` names modules that the warm process of the plain runtime imports once. By default, `fork` is true
        if forking is safe here.

        A call that this system cannot confine to the level `at_least` is refused with the error `not_confined`.
        `without` leaves out layers of the confinement, for tests and measurements. No call may exceed the limits
        `most`. Several pools may share `hosts`, which start the processes. This is safe, because each call has its own
        process, forked from one that has run no call. The creator of the hosts must close them.
        """
        how: Any = {"fork": fork, "own_processes": "own processes" not in without}
        made = hosts or new_hosts(preload, python, **how)
        self._bare_host = partial(new_host, python, (), **how)
        self._hosts, self._shared = made, hosts is not None
        self._most = most
        self._at_least, self._without = at_least, tuple(without)
        self._lock = Lock()
        self._running: set[Process] = set()
        self._closed = False
        self._tried: Confinement | None = None
        self._trying = Lock()
        sweep()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start loading the plain runtime, without waiting for it. Other runtimes start when a call first needs
        them."""
        self._hosts["plain"].warm()

    def close(self) -> None:
        """Kill every running call, which ends as `cancelled`, and end the hosts unless they are shared. A second call
        does nothing."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for process in running:
            process.kill()
        if not self._shared:
            close_hosts(self._hosts)

    def confinement(self) -> Confinement | None:
        """Run a tool process that does nothing, and return how well this system confined it; None if no process can
        run. If the plain runtime is not loaded yet, the process is started without its packages.

        Raises Unavailable once the pool is closed.
        """
        with self._trying:
            if self._tried is None:
                with tempfile.TemporaryDirectory() as folder:
                    nothing = RunRequest("trial", None, "anabranch_tool.files:list_files", Path(folder), {})
                    outcome = self._run_bare(nothing)
                refused = outcome.error is not None and outcome.error.kind == "not_confined"
                self._tried = outcome.confinement if outcome.status == "success" or refused else None
            return self._tried

    def _run_bare(self, request: RunRequest) -> RunOutcome:
        host = self._hosts["plain"]
        if self._shared or host.is_loaded():
            return self.run(request, cancel=Cancellation())
        bare = self._bare_host()
        try:
            return self._run_at(bare, request, Cancellation())
        finally:
            bare.close()

    def run(
        self,
        request: RunRequest,
        *,
        cancel: Cancellation,
        on_output: OnOutput | None = None,
        on_progress: OnProgress | None = None,
    ) -> RunOutcome:
        """Run one call to its end. When this returns, none of the call's processes is alive.

        Raises Unavailable once the pool is closed. If a callback raises, the call is killed and the exception is
        passed on.
        """
        if cancel.is_set:
            return RunOutcome("cancelled", error=CANCELLED)
        host = self._hosts[request.runtime]
        if on_progress is not None and request.runtime == "analysis" and not host.is_loaded():
            on_progress(None, "Loading Python's analysis packages (only once)")
        try:
            return self._run_at(host, request, cancel, on_output, on_progress)
        finally:
            host.warm()  # for the next call; not earlier, because forking would slow this call down

    def _run_at(
        self,
        host: Host,
        request: RunRequest,
        cancel: Cancellation,
        on_output: OnOutput | None = None,
        on_progress: OnProgress | None = None,
    ) -> RunOutcome:
        request = replace(request, limits=request.limits.within(self._most)) if self._most else request
        private = new_private_folder()
        try:
            line = _encoded(request, private, self._at_least(), self._without)
            watched = _watched(request, private)
            for _ in range(2):
                seen = self._attempt(host, request, line, watched, cancel, on_output, on_progress)
                if seen.started or cancel.is_set or self._closed:
                    break
                host.renew()  # the process ended or hung before it accepted the request, so nothing ran
                if seen.timed_out:
                    break
            return outcome_of(seen, request, cancelled=cancel.is_set or self._closed)
        except HostFailed as error:
            return RunOutcome("error", error=RunError("host", str(error)))
        finally:
            remove_tree(private)

    def _attempt(
        self,
        host: Host,
        request: RunRequest,
        line: bytes,
        watched: bytes,
        cancel: Cancellation,
        on_output: OnOutput | None,
        on_progress: OnProgress | None,
    ) -> Followed:
        process = self._launch(host)
        forget = cancel.on_set(process.kill)
        seen: Followed | None = None
        try:
            seen = follow(process, line, watched, request.limits, on_output, on_progress)
            return seen
        finally:
            forget()
            with self._lock:
                self._running.discard(process)
            if seen is None or seen.ended is None:
                process.kill()
                _kill_group(seen)
                process.wait(_KILLING)
            process.close()

    def _launch(self, host: Host) -> Process:
        with self._lock:
            if self._closed:
                raise Unavailable("pool_closed", "Tools cannot run any more: the app is closing.")
        process = host.launch()
        with self._lock:
            self._running.add(process)
            closed = self._closed
        if closed:
            process.kill()
        return process


def call_limits(bounds: Bounds) -> Limits | None:
    """Return the limits on a call in `bounds`; None if there are none."""
    if bounds.call_memory_bytes is None and bounds.call_file_bytes is None and bounds.turn_seconds is None:
        return None
    usual = Limits()
    return Limits(
        seconds=bounds.turn_seconds or float("inf"),
        memory_bytes=bounds.call_memory_bytes or usual.memory_bytes,
        file_bytes=bounds.call_file_bytes or usual.file_bytes,
        output_bytes=usual.output_bytes,
        result_bytes=64 << 20,
    )


def _kill_group(seen: Followed | None) -> None:
    """Kill a process group that may have survived its supervisor, for example if the tool killed the supervisor."""
    if seen is not None and seen.pid:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(seen.pid, signal.SIGKILL)


def _encoded(request: RunRequest, private: Path, at_least: Asked, without: Sequence[str]) -> bytes:
    home, temporary = private / "home", private / "tmp"
    home.mkdir()
    temporary.mkdir()
    own = {name: str(temporary) for name in ("TMPDIR", "TMP", "TEMP")}
    limits = request.limits
    return json.dumps(
        {
            "bundle": str(request.bundle) if request.bundle else None,
            "entrypoint": request.entrypoint,
            "workspace": str(request.workspace),
            "private": str(private),
            "packages": [str(folder) for folder in request.packages],
            "readable": [str(file) for file in request.readable],
            "context": dict(request.context),
            "arguments": dict(request.arguments),
            "environment": {**clean_environment(), "HOME": str(home), **own, **request.environment},
            "network": request.network,
            "at_least": at_least,
            "without": without,
            "seconds": limits.seconds,
            "memory_bytes": limits.memory_bytes,
            "file_bytes": limits.file_bytes,
            "result_bytes": limits.result_bytes,
        }
    ).encode()


def _watched(request: RunRequest, private: Path) -> bytes:
    limits = {"file_bytes": request.limits.file_bytes, "memory_bytes": request.limits.memory_bytes}
    return json.dumps({"workspace": str(request.workspace), "private": str(private), **limits}).encode()
