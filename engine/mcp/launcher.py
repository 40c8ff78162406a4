"""The process between Anabranch and a server that it starts: no server outlives the engine, also one killed by -9.

It leads the process group in which the server runs, holds none of its pipes, and ends as the server ends. Where the
engine is gone (on Linux the kernel says so at once, elsewhere it is looked for each second), or asks for the end by
SIGTERM, the whole group is ended: asked first, killed a second later. Standard library only: it starts in 20 ms.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import NoReturn

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1
_GRACE = 1.0
"""Seconds between asking and killing."""


def main() -> NoReturn:
    """Run the command that follows the engine's process id in the arguments."""
    engine, command = int(sys.argv[1]), sys.argv[2:]

    def end(*_: object) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, kill)
        signal.setitimer(signal.ITIMER_REAL, _GRACE)
        os.killpg(0, signal.SIGTERM)
        wait()
        kill()

    def kill(*_: object) -> NoReturn:
        os.killpg(0, signal.SIGKILL)
        os._exit(137)

    def wait() -> None:
        with contextlib.suppress(
            ChildProcessError
        ):  # not `Popen.wait`, which a handler of signals must not enter again
            os.waitpid(server.pid, 0)

    def look(*_: object) -> None:
        if os.getppid() != engine:
            end()

    try:
        server = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGALRM, look)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123 - pathlib is half of the time that starting takes
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    wait()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)  # what the server started and left behind
    time.sleep(0.05)
    kill()


if __name__ == "__main__":
    main()
