"""Sets limits on one process (setrlimit(2)). Its supervisor watches the total use of all processes of a call."""

import math
import os
import signal
import sys

__all__ = ["limit_resources"]

_DESCRIPTORS = 1024
_TASKS = 512
"""The maximum number of processes and threads. It is set only in a separate user namespace; otherwise all of the user's
processes would count.
"""


def limit_resources(*, seconds: float, memory_bytes: int, file_bytes: int, own_user: bool) -> bool:
    """Limit this process and the processes that it will start; return whether this system has such limits.

    `own_user` says that the process is in a separate user namespace.
    """
    if sys.platform == "win32":
        return False
    import resource  # noqa: PLC0415 -- not there on Windows

    processor_seconds = math.ceil(seconds) * (os.cpu_count() or 1) + 1
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _DESCRIPTORS,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_DATA: memory_bytes,  # not the address space: DuckDB reserves too much of it
        resource.RLIMIT_CPU: processor_seconds,
    }
    if own_user:
        wanted[resource.RLIMIT_NPROC] = _TASKS
    for kind, soft in wanted.items():
        # With a higher hard limit, the process ends with SIGXCPU, which shows the reason, and not with SIGKILL.
        hard = soft + 2 if kind == resource.RLIMIT_CPU else soft
        _, allowed = resource.getrlimit(kind)
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)  # noqa: PLW2901
        resource.setrlimit(kind, (soft, hard))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    return True
