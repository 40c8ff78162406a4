"""The process between Anabranch and an MCP server: starts and confines the server, and ends it when the engine ends.

Before it starts the server, it gives up the rights that the server was not granted, and reports the active layers in
the first line on standard error. It leads the process group in which the server runs, keeps none of the server's pipes,
and ends when the server ends. If the engine ends (on Linux the kernel reports this at once, elsewhere it is checked
each second) or sends SIGTERM, the whole group is asked to end, and killed a second later. It imports few modules, so
that it starts in 40 ms.
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["HELD_BY", "main"]

HELD_BY = "anabranch: held by "
"""The beginning of the first line on standard error; the layers follow, as JSON."""

_PR_SET_PDEATHSIG = 1
_GRACE = 1.0
"""The seconds between asking the group to end and killing it."""


def main() -> NoReturn:
    """Run a server's command. The arguments are the engine's process id, the grant as JSON, and the command."""
    engine, granted, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]

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
        # Not `Popen.wait`, because a signal handler must not call it while it is running.
        with contextlib.suppress(ChildProcessError):
            os.waitpid(server.pid, 0)

    def look(*_: object) -> None:
        if os.getppid() != engine:
            end()

    server = _started(command, granted)
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
    os.killpg(0, signal.SIGTERM)  # the processes that the server left behind
    time.sleep(0.05)
    kill()


def _started(command: list[str], granted: dict[str, Any] | None) -> subprocess.Popen[bytes]:
    # The child process confines itself before it becomes the server, so that the server cannot reach the launcher.
    hold = None if granted is None else partial(_hold, **granted)
    try:
        return subprocess.Popen(command, preexec_fn=hold)  # noqa: PLW1509 - there is one thread
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127)
    except subprocess.SubprocessError as error:
        sys.stderr.write(f"{command[0]}: not started, because it could not be confined: {error}\n")
        sys.exit(126)


def _hold(readable: list[str], writable: list[str], network: bool, at_least: str) -> None:
    """Confine this process and report the layers; end the process if its level is below `at_least`."""
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from engine.runtime.sandbox.levels import LEVELS, level_of  # noqa: PLC0415 - this file is run by its path
    from engine.runtime.sandbox.service import hold, strongest  # noqa: PLC0415

    layers = hold(readable=readable, writable=writable, network=network)
    sys.stderr.write(f"{HELD_BY}{json.dumps(layers)}\n")
    sys.stderr.flush()
    level, at_least = level_of(layers), strongest() if at_least == "strongest" else at_least
    if LEVELS.index(level) < LEVELS.index(at_least):
        sys.stderr.write(
            f"it was not started: sandbox_at_least requires “{at_least}”, but only “{level}” is available here\n"
        )
        sys.stderr.flush()
        os._exit(126)


if __name__ == "__main__":
    main()
