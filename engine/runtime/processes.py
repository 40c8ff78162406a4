"""Starts tool processes. A host that has loaded the packages forks them; if forking is not safe, a process is loaded in
advance for each call.

In both cases the engine has the same four connections: the private channel, a status that reports the end, stdout and
stderr.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import Protocol

import engine
from engine.runtime.prefork import HostFailed, PreforkedProcess, Process

__all__ = ["ForkingHost", "Host", "SingleUseHosts", "clean_environment"]

_ROOT = Path(engine.__file__).parent.parent
_LIBRARY = Path(__file__).parent / "library"
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from engine.runtime.host import main; main(sys.argv[1:])"
)
_KEPT = ("PATH", "SYSTEMROOT")
_FIXED = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
}
"""Variables that are the same for every call on every machine (RUN-9). Libraries may use only one thread, because sums
of floating-point numbers depend on how threads share the work.
"""


def clean_environment() -> dict[str, str]:
    """Return the variables of every tool process: fixed variables, and the few app variables that it needs."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # This interpreter's folder comes first, because another `python` may be in a home folder, which tools cannot read.
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**_FIXED, **kept, "PATH": path}


class Host(Protocol):
    """A source of processes."""

    def warm(self) -> None:
        """Start loading, without waiting for it."""
        ...

    def launch(self) -> Process:
        """Start a process; raises HostFailed."""
        ...

    def is_loaded(self) -> bool:
        """Whether the packages are already loaded. If so, the next call does not wait for them."""
        ...

    def renew(self) -> None:
        """Restart before the next call, because this process did not answer."""
        ...

    def close(self) -> None:
        """End idle processes."""
        ...


class ForkingHost:
    """A host process with loaded packages that forks a process for each call. The process for the next call is forked
    in advance. A host that has died is restarted.

    Forking a process with many loaded modules accounts for half of the cost of a small call, because its page tables
    are copied.
    """

    def __init__(self, python: Path, preload: Sequence[str], *, own_processes: bool = True) -> None:
        self._python, self._preload = python, tuple(preload)
        self._way = "fork" if own_processes else "fork shared"
        self._lock = Lock()
        self._running: tuple[subprocess.Popen[bytes], socket.socket] | None = None
        self._ahead = PreforkedProcess(self._begin)

    def warm(self) -> None:
        """See `Host.warm`."""
        self._ahead.prepare()

    def launch(self) -> Process:
        """See `Host.launch`."""
        return self._ahead.take()

    def is_loaded(self) -> bool:
        """See `Host.is_loaded`."""
        running = self._running
        return running is not None and running[0].poll() is None

    def renew(self) -> None:
        """See `Host.renew`. Running calls continue, because their supervisors watch them."""
        self._ahead.drop()
        with self._lock:
            self._stop()

    def close(self) -> None:
        """See `Host.close`."""
        self._ahead.drop(close=True)
        with self._lock:
            self._stop()

    def _begin(self) -> Process:
        status, its_status = socket.socketpair()
        channel, its_channel = socket.socketpair()
        stdout, its_stdout = os.pipe()
        stderr, its_stderr = os.pipe()
        given = [its_status.fileno(), its_channel.fileno(), its_stdout, its_stderr]
        process = Process(channel, status, stdout, stderr, lambda: _ask_for_the_end(status))
        try:
            self._send(given)
        except BaseException:
            process.close()
            raise
        finally:
            its_status.close()
            its_channel.close()
            os.close(its_stdout)
            os.close(its_stderr)
        return process

    def _send(self, given: list[int]) -> None:
        with self._lock:
            for _ in range(2):
                try:
                    socket.send_fds(self._start(), [b"call"], given)
                except OSError:
                    self._stop()
                else:
                    return
        raise HostFailed

    def _start(self) -> socket.socket:
        if self._running is not None and self._running[0].poll() is None:
            return self._running[1]
        self._stop()
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                process = subprocess.Popen(
                    _command(self._python, self._way, theirs.fileno(), self._preload),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=clean_environment(),
                    cwd="/",
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except OSError:
            control.close()
            raise
        self._running = (process, control)
        return control

    def _stop(self) -> None:
        if self._running is None:
            return
        process, control = self._running
        self._running = None
        control.close()
        process.kill()
        process.wait()


class SingleUseHosts:
    """Starts a process for each call in advance, so that the packages are loaded when the call arrives.

    Killing a call ends its process group. There is no supervisor, so a process that left the group on purpose
    (`setsid`) survives.
    """

    def __init__(self, python: Path, preload: Sequence[str]) -> None:
        self._python, self._preload = python, tuple(preload)
        self._ahead = PreforkedProcess(self._begin)

    def warm(self) -> None:
        """See `Host.warm`."""
        self._ahead.prepare()

    def launch(self) -> Process:
        """See `Host.launch`."""
        return self._ahead.take()

    def is_loaded(self) -> bool:
        """See `Host.is_loaded`."""
        return self._ahead.is_ready()

    def renew(self) -> None:
        """See `Host.renew`."""
        self._ahead.drop()

    def close(self) -> None:
        """See `Host.close`."""
        self._ahead.drop(close=True)

    def _begin(self) -> Process:
        channel, theirs = socket.socketpair()
        status, its_status = socket.socketpair()
        stdout, its_stdout = os.pipe()
        stderr, its_stderr = os.pipe()
        try:
            process = subprocess.Popen(
                _command(self._python, "once", theirs.fileno(), self._preload),
                stdin=subprocess.DEVNULL,
                stdout=its_stdout,
                stderr=its_stderr,
                env=clean_environment(),
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError:
            Process(channel, status, stdout, stderr, lambda: None).close()
            its_status.close()
            raise HostFailed from None
        finally:
            theirs.close()
            os.close(its_stdout)
            os.close(its_stderr)
        leader = _Leader(process, its_status)
        return Process(channel, status, stdout, stderr, leader.kill)


class _Leader:
    """Waits for a child process that leads its group, and reports like a supervisor."""

    def __init__(self, process: "subprocess.Popen[bytes]", status: socket.socket) -> None:
        self._process, self._status = process, status
        self._lock = Lock()
        self._waited = False
        Thread(target=self._wait, name="tool process", daemon=True).start()

    def kill(self) -> None:
        with self._lock:
            if not self._waited:  # later, another process may have this number
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _wait(self) -> None:
        pid = self._process.pid
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            self.kill()  # the remaining processes of the group, while its number is not reused
            with self._lock:
                _, state, usage = os.wait4(pid, 0)
                self._waited = True
        else:
            _, state, usage = os.wait4(pid, 0)
            self._waited = True
        self._process.returncode = os.waitstatus_to_exitcode(state)
        unit = 1 if sys.platform == "darwin" else 1024
        report = {
            "code": self._process.returncode,
            "peak_bytes": usage.ru_maxrss * unit,
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
        }
        with self._status, contextlib.suppress(OSError):
            self._status.sendall(json.dumps({"exit": report}).encode() + b"\n")


def _ask_for_the_end(status: socket.socket) -> None:
    # Not a message, because a message could be read together with the call that was sent just before it.
    with contextlib.suppress(OSError):
        status.shutdown(socket.SHUT_WR)


def _command(python: Path, way: str, descriptor: int, preload: Sequence[str]) -> list[str]:
    # Like -I, which cannot be used because it also ignores the hash seed in the fixed variables.
    flags = ["-s", "-P", "-B", "-X", "utf8"]
    return [str(python), *flags, "-c", _START, str(_ROOT), str(_LIBRARY), way, str(descriptor), *preload]
