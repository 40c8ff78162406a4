"""Makes the Nth write, sync, rename or unlink below a folder fail, for a whole process with all its libraries (Linux).

A seccomp filter with a listener (`SECCOMP_FILTER_FLAG_NEW_LISTENER`, seccomp(2)) stops the process at each such system
call and asks a supervisor in another process, which lets it go on or answers with an error. DuckDB's own writes are
caught as well as ours, and nothing has to be compiled.
"""

import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["Faults", "run_with_faults"]

_NUMBERS = {
    "x86_64": {
        "write": 1,
        "pwrite64": 18,
        "writev": 20,
        "fsync": 74,
        "fdatasync": 75,
        "rename": 82,
        "unlink": 87,
        "unlinkat": 263,
        "renameat": 264,
        "renameat2": 316,
        "seccomp": 317,
    },
    "aarch64": {
        "write": 64,
        "pwrite64": 68,
        "writev": 66,
        "fsync": 82,
        "fdatasync": 83,
        "unlinkat": 35,
        "renameat": 38,
        "renameat2": 276,
        "seccomp": 277,
    },
}
_BY_DESCRIPTOR = {"write", "pwrite64", "writev", "fsync", "fdatasync"}
_PATH_ARGUMENT = {"rename": 0, "unlink": 0, "unlinkat": 1, "renameat": 1, "renameat2": 1}
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFY, _ALLOW = 0x7FC00000, 0x7FFF0000
_PR_SET_NO_NEW_PRIVS, _SET_MODE_FILTER, _NEW_LISTENER = 38, 1, 8
_CONTINUE = 1


class Faults:
    """Decides about each call: the `nth` fails with `error`; with `persistent`, all later ones fail too."""

    def __init__(self, below: Path, nth: int, error: int = errno.EIO, *, persistent: bool = False) -> None:
        self._below = str(below.resolve())
        self._nth = nth
        self._error = error
        self._persistent = persistent
        self.seen = 0

    def decide(self, name: str, pid: int, arguments: tuple[int, ...]) -> int:
        """Return 0 to let the call continue, or the error to answer with."""
        if not self._concerns(name, pid, arguments):
            return 0
        self.seen += 1
        hit = self.seen == self._nth or (self._persistent and self.seen > self._nth > 0)
        return self._error if hit else 0

    def _concerns(self, name: str, pid: int, arguments: tuple[int, ...]) -> bool:
        with suppress(OSError):
            if name in _BY_DESCRIPTOR:
                place = Path(f"/proc/{pid}/fd/{arguments[0]}").readlink()
                return str(place).startswith(self._below)
            return _text_at(pid, arguments[_PATH_ARGUMENT[name]]).startswith(self._below)
        return False


def run_with_faults(scenario: Callable[[], object], faults: Faults) -> tuple[int, str]:
    """Run `scenario` in a forked process under `faults`; return its exit code, and its result or exception as text.

    The exit code is 0 if the scenario returned, 1 if it raised, and otherwise the process's own.
    """
    ours, theirs = socket.socketpair()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        ours.close()
        os.close(read)
        os._exit(_child(scenario, theirs, write))
    theirs.close()
    os.close(write)
    _, (listener, *_), *_ = socket.recv_fds(ours, 1, 1)
    _supervise(listener, faults)
    os.close(listener)
    ours.close()
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), told


def _child(scenario: Callable[[], object], parent: socket.socket, pipe: int) -> int:
    listener = _install_filter()
    socket.send_fds(parent, [b"x"], [listener])
    os.close(listener)
    try:
        told, code = str(scenario()), 0
    except BaseException as error:
        told, code = f"{type(error).__name__}: {error}", 1
    os.write(pipe, told.encode(errors="replace"))
    return code


def _supervise(listener: int, faults: Faults) -> None:
    names = {number: name for name, number in _NUMBERS[platform.machine()].items()}
    request = bytearray(80)
    while True:
        request[:] = bytes(80)
        try:
            fcntl.ioctl(listener, _RECEIVE, request)
        except OSError as error:
            if error.errno == errno.EINTR or (error.errno == errno.ENOENT and not _ended(listener)):
                continue  # ENOENT: a signal ended the system call that was to be decided, but perhaps not the process
            return
        ident, pid, _, number = struct.unpack_from("<QIIi", request)
        arguments = struct.unpack_from("<6Q", request, 32)
        failure = faults.decide(names[number], pid, arguments)
        answer = struct.pack("<QqiI", ident, 0, -failure, 0 if failure else _CONTINUE)
        with suppress(OSError):
            fcntl.ioctl(listener, _SEND, answer)


def _ended(listener: int) -> bool:
    """Whether no process with the filter is left; the listener then reports an event."""
    poll = select.poll()
    poll.register(listener, 0)
    return bool(poll.poll(0))


def _install_filter() -> int:
    """Stop this process at the calls named above and return the listener."""
    numbers = _NUMBERS[platform.machine()]
    caught = [number for name, number in numbers.items() if name != "seccomp"]
    program = [struct.pack("<HBBI", 0x20, 0, 0, 0)]  # load the call's number
    for place, number in enumerate(caught):
        program.append(struct.pack("<HBBI", 0x15, len(caught) - place, 0, number))
    program += [struct.pack("<HBBI", 0x06, 0, 0, _ALLOW), struct.pack("<HBBI", 0x06, 0, 0, _NOTIFY)]
    code = ctypes.create_string_buffer(b"".join(program))
    header = struct.pack("@HP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    listener: int = libc.syscall(numbers["seccomp"], _SET_MODE_FILTER, _NEW_LISTENER, header)
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp(2) refused the filter")
    return listener


def _text_at(pid: int, address: int) -> str:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        return os.fsdecode(memory.read(4096).split(b"\0", 1)[0])


if sys.platform != "linux":

    def run_with_faults(scenario: Callable[[], object], faults: Faults) -> tuple[int, str]:
        """Fail, because this system has no seccomp."""
        raise NotImplementedError("Faults of system calls are made on Linux only.")
