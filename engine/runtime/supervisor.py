"""Watches a tool process for its host on Linux: reports its end, and kills all of its descendants.

The supervisor is the reaper of every process below it. So a process that left the process group, or whose parent ended,
becomes its child and is killed with the rest. The supervisor reports over a separate socket, which the tool never gets.
If that socket closes because the engine has ended, the supervisor also kills all of these processes.
"""

import contextlib
import ctypes
import json
import os
import resource  # noqa: F401 -- wait4 and the confinement need it: loaded once, before the fork
import select
import signal
import socket
import time
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any, NoReturn

from engine.runtime.resource_monitor import CALLED, EVERY, ResourceMonitor
from engine.runtime.sandbox.processes import Init

__all__ = ["become_reaper", "supervise"]

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_KILLING = 2.0
"""The time limit for killing the remaining processes, in seconds."""

_libc = ctypes.CDLL(None)


def become_reaper() -> None:
    """Become the parent of every descendant whose own parent ends (prctl(2))."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def supervise(status: socket.socket, run: Callable[[bool], NoReturn], *, own_processes: bool) -> NoReturn:
    """Call `run` in a separate process and session. Wait for the end of this process, kill the processes that it leaves
    behind, report over `status`, and end.

    With `own_processes`, that process is in a separate process namespace; `run` receives whether this was possible.
    """
    try:
        become_reaper()
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        me = os.getpid()
        init = Init.start() if own_processes else None
        child = os.fork()
        if child == 0:
            _become_tool(0 if init else me)
            run(init is not None)
        _close_all_but(status.fileno(), wake, waker, *([init.held] if init else ()))
        _tell(status, {"pid": child})
        over = _wait(status, wake, {child, init.pid} if init else {child})
        _tell(status, {"exit": {**_end(child, init), "over": over}})
    finally:
        os._exit(0)


def _become_tool(supervisor: int) -> None:
    """Start a new session, and end with the supervisor. In another process namespace, the supervisor's process number
    is seen as 0.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != supervisor:
        os._exit(1)
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _tell(status: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        status.sendall(json.dumps(message).encode() + b"\n")


def _wait(status: socket.socket, wake: int, awaited: Set[int]) -> str:
    """Wait until one of `awaited` has ended, the engine has ended or requests the end, or a limit is exceeded. Return
    the exceeded limit, or "".
    """
    watch: ResourceMonitor | None = (
        None  # None while the process waits for a call, when there is nothing to watch
    )
    while True:
        readable, _, _ = select.select([status.fileno(), wake], [], [], EVERY if watch else None)
        if status.fileno() in readable and (status.recv(1) != CALLED or not (watch := _watch(status))):
            return ""
        if wake in readable and _reap(wake, awaited):
            return ""
        if watch and (over := watch.over()):
            return over


def _watch(status: socket.socket) -> ResourceMonitor | None:
    """Read the rest of the message that hands over a call, and return the monitor for the call. Return None if the
    engine closes the connection instead.
    """
    line = b""
    while not line.endswith(b"\n") and (more := status.recv(1 << 16)):
        line += more
    if not line.endswith(b"\n"):
        return None
    call = json.loads(line)
    folders = [Path(call["workspace"]), Path(call["private"])]
    return ResourceMonitor(folders, folders[1], call["file_bytes"], call["memory_bytes"])


def _reap(wake: int, awaited: Set[int]) -> bool:
    """Reap processes that have ended, until a process in `awaited` has ended; that process is reaped later. Return
    whether such a process was found.
    """
    with contextlib.suppress(BlockingIOError):
        os.read(wake, 512)
    while ended := _ended():
        if ended in awaited:
            return True
        os.waitpid(ended, 0)
    return False


def _ended() -> int:
    """Return a child that has ended and was not reaped yet, without waiting for one; 0 if there is none."""
    found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found.si_pid if found else 0


def _end(child: int, init: Init | None) -> dict[str, Any]:
    """Kill the group while its leader still has its process number, then all other descendants of this process."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)  # the child may not have made its group yet
    _, state, usage = os.wait4(child, 0)
    if init:
        init.end()
    deadline = time.monotonic() + _KILLING
    while time.monotonic() < deadline and (left := _children()):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
    return {
        "code": os.waitstatus_to_exitcode(state),
        "peak_bytes": usage.ru_maxrss * 1024,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
    }


def _children() -> list[int]:
    me = os.getpid()
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{me}/children").read_text().split()]
    except OSError:  # this kernel does not list children
        names = [path.name for path in Path("/proc").iterdir()]
        return [int(name) for name in names if name.isdigit() and _parent(name) == me]


def _parent(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended meanwhile
        return 0


def _close_all_but(*kept: int) -> None:
    previous = 2
    for descriptor in sorted(kept):
        os.closerange(previous + 1, descriptor)
        previous = descriptor
    os.closerange(previous + 1, 65_536)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (1, 2):
        os.dup2(nothing, standard)
