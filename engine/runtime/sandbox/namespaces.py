"""Namespaces of the kernel, with which a process has its own view of mounts, processes or the network
(namespaces(7)).

Creating them needs root's rights, or the rights of an ordinary user in a user namespace, if the system allows that.
"""

import errno
import os
from pathlib import Path

from engine.runtime.sandbox.kernel import call

__all__ = ["MOUNTS", "NETWORK", "PROCESSES", "leave"]

MOUNTS, NETWORK, PROCESSES = 0x0002_0000, 0x4000_0000, 0x2000_0000
_USER = 0x1000_0000


def leave(kinds: int) -> bool:
    """Give this process, which must have one thread, new namespaces of `kinds`; return whether that was possible.

    An ordinary user first gets a user namespace in which only this user exists. If that fails, the process may be left
    without a user, so first try this in a short-lived process.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        call("unshare", kinds)
    except OSError as error:
        if error.errno != errno.EPERM:
            return False
        try:
            call("unshare", kinds | _USER)
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        except OSError:
            return False
    return True
