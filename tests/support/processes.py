"""Whether processes that tests know of have ended."""

import os
import select
import subprocess

__all__ = ["gone"]


def gone(pid: int) -> bool:
    """Whether a process has ended; one that was killed a moment ago is given the moment in which it dies."""
    if not hasattr(os, "pidfd_open"):  # elsewhere than on Linux
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return state.stdout.strip()[:1] in ("", "Z")
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 5)[0])
    finally:
        os.close(process)
