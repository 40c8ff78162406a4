"""Confines a long-running process, such as an MCP server. It uses the layers of a tool call's confinement that are
suitable for such a process.

Such a process has no workspace and does not end with a call, so processor time is not limited, and the memory limit is
higher. The process confines itself before it starts the program.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.runtime.sandbox.levels import LEVELS

if sys.platform == "linux":
    import resource

    from engine.runtime.sandbox import landlock, mounts, privileges, seccomp
    from engine.runtime.sandbox.readable import DEVICES, NETWORK

__all__ = ["hold", "strongest"]

_MEMORY = 8 << 30
"""The maximum size of the process's data, in bytes. Address space is not limited, because a JavaScript engine requests
much more of it.
"""
_DESCRIPTORS = 4_096


def strongest() -> str:
    """Return the highest level at which this system can confine a long-running process."""
    if sys.platform != "linux" or not landlock.abi():
        return LEVELS[0]
    return LEVELS[2] if seccomp.available() else LEVELS[1]


def hold(*, readable: Iterable[str], writable: Sequence[str], network: bool) -> tuple[str, ...]:
    """Drop all rights except the granted ones, here and in child processes; return the active layers.

    `readable` are files and folders, `writable` folders. Restrictions that this system cannot enforce are omitted.
    """
    if sys.platform != "linux":
        return ()
    _limit_resources()
    layers = ["resource limits"]
    here = Path.cwd()
    places = [Path(os.path.realpath(folder)) for folder in writable if os.path.isdir(folder)]  # noqa: PTH112 -- before pathlib's cost
    own = mounts.possible() and mounts.own_namespace() and mounts.own_only(places)
    if own:
        layers.append("read-only mounts")
        os.chdir(here)  # a process's working folder stays on the mount through which it was entered
    if not privileges.give_up():
        return tuple(layers)
    layers.append("no privileges")
    try:
        layers += _restrict_files([*readable, *(NETWORK if network else ())], places, network=network)
    except OSError:
        return tuple(layers)
    # A server that downloads its own program must make it executable. Without separate mounts, it can do so anywhere.
    if seccomp.install(network=network, attributes=own or network, groups=False):
        layers += ["system calls"] if network else ["system calls", "no network"]
    return tuple(layers)


def _limit_resources() -> None:
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
        (resource.RLIMIT_DATA, _MEMORY),
    ):
        _, allowed = resource.getrlimit(kind)
        limit = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
        resource.setrlimit(kind, (limit, limit))


def _restrict_files(readable: Iterable[str], writable: Sequence[Path], *, network: bool) -> list[str]:
    """Restrict access to files with Landlock, if the kernel has it; return the layers that are then active."""
    version = landlock.abi()
    if not version:
        return []
    files = landlock.Ruleset(version)
    files.allow_reading(readable)
    files.allow_devices(DEVICES)
    for place in writable:
        files.allow_writing(place)
    files.enforce(network=network)
    return [f"files (Landlock {version})", *(["signals"] if version >= 6 else [])]
