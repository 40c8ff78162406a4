"""Runs one program in the workspace, without a shell, and limits its time and its output."""

import contextlib
import errno
import os
import shlex
import signal
import subprocess
import threading
from pathlib import Path
from typing import IO, Any

KEPT = 100_000
"""The maximum number of bytes of output that are kept. Later output is read and dropped, so that the program never
blocks."""


def run(workspace: Path, command: str, seconds: float = 60.0) -> dict[str, Any]:
    """Run `command` and return its exit code and output. If the program fails, this is a result too, not an error."""
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command cannot be read: {error}; check its quotes") from None
    if not arguments:
        raise ValueError("the command is empty; name a program")
    try:
        process, grouped = _start(arguments, workspace)
    except FileNotFoundError:
        message = f"there is no program {arguments[0]!r}; no shell runs here, so no pipes and no built-ins"
        raise ValueError(message) from None
    except PermissionError:
        raise ValueError(f"{arguments[0]!r} cannot be run; is it an executable program?") from None
    output = _Output(process.stdout)
    timed_out = False
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        _end(process, grouped)
    return {
        "command": command,
        "exit_code": process.returncode,
        "output": output.text(),
        "truncated": output.truncated,
        "timed_out": timed_out,
    }


def _start(arguments: list[str], workspace: Path) -> tuple["subprocess.Popen[bytes]", bool]:
    """Start the program, in its own process group unless the sandbox forbids this; return it, and whether it has a
    group."""

    def popen(own_group: bool) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            arguments,
            cwd=workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=own_group,
        )

    try:
        return popen(own_group=True), True
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EACCES, errno.ENOSYS}:
            raise
    return popen(own_group=False), False


def _end(process: "subprocess.Popen[bytes]", grouped: bool) -> None:
    """Kill the program, and its whole process group if it has its own. Otherwise the runtime kills the processes that
    remain.
    """
    if grouped:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()


class _Output:
    """Reads a program's output in a separate thread, and keeps the beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = bytearray()
        self.truncated = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def text(self) -> str:
        """Return the kept output. The wait is short, because a program in the background may keep the pipe open."""
        self._reader.join(timeout=1.0)
        if not self._reader.is_alive():
            self._pipe.close()
        return bytes(self._kept).decode("utf-8", "replace")

    def _read(self) -> None:
        while chunk := os.read(self._pipe.fileno(), 65_536):
            room = KEPT - len(self._kept)
            self._kept += chunk[:room]
            self.truncated = self.truncated or len(chunk) > room
