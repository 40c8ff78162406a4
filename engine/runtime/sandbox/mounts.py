"""A private view of the file system, in which only the call's workspace and private folder can be changed.

Landlock controls access to contents, but not to modes, owners, times and attributes. This module mounts everything
read-only, which protects these too. This needs the right to make namespaces. Root has this right, and so do ordinary
users if the system grants it to them.
"""

import contextlib
import ctypes
import os
from collections.abc import Sequence
from pathlib import Path

from engine.runtime.sandbox.kernel import call
from engine.runtime.sandbox.namespaces import MOUNTS, leave

__all__ = [
    "SHARED_MEMORY",
    "own_namespace",
    "own_only",
    "own_processes_listed",
    "own_shared_memory",
    "possible",
]

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- where the C library puts semaphores

_OPEN_TREE_CLONE, _RECURSIVE = 1, 0x8000
_MOVE_MOUNT_F_EMPTY_PATH = 4
_AT_FDCWD = -100
_READ_ONLY, _NO_SET_UID = 1, 2
_PRIVATE = 1 << 18
_NO_SET_UID_MOUNT, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_BIND = 4096
_OF_THE_MACHINE = (
    "bus",
    "diskstats",
    "fs",
    "interrupts",
    "irq",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "locks",
    "modules",
    "pressure",
    "sched_debug",
    "schedstat",
    "scsi",
    "softirqs",
    "sysrq-trigger",
    "timer_list",
)
"""Paths in /proc that are hidden. These files show when other users press keys, lock files or use disks; libraries do
not need them.
"""


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user", ctypes.c_uint64),
    )


def possible() -> bool:
    """Return whether a process of this user can have separate mounts; a short-lived process tests this."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if own_namespace() and own_only([Path("/tmp")]) else 1)  # noqa: S108 -- any folder will do
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def own_namespace() -> bool:
    """Give this single-threaded process its own mount namespace; return whether that was possible.

    If it was not possible, the process may be left without a user, so try `possible` first.
    """
    if not leave(MOUNTS):
        return False
    try:
        _set(_AT_FDCWD, b"/", _MountAttributes(propagation=_PRIVATE))
    except OSError:
        return False
    own_processes_listed()
    return True


def own_processes_listed() -> bool:
    """Mount a /proc that lists only the processes that this process may see; return whether that was possible.

    This needs root's rights, or a process namespace that this process's user made. Files about the whole machine's
    devices, locks and keys are hidden in this /proc.
    """
    flags = _NO_SET_UID_MOUNT | _NO_DEVICES | _NO_PROGRAMS
    try:
        call("mount", b"proc", b"/proc", b"proc", flags, b"hidepid=ptraceable")
    except OSError:
        return False
    for name in _OF_THE_MACHINE:
        path = Path("/proc", name)
        with contextlib.suppress(OSError):
            if path.is_dir():
                call("mount", b"none", bytes(path), b"tmpfs", flags | _READ_ONLY, b"size=4k,mode=555")
            elif path.exists():
                call("mount", b"/dev/null", bytes(path), None, _BIND, None)
    return True


def own_only(folders: Sequence[Path]) -> bool:
    """In a separate namespace, mount everything read-only except `folders`; return whether that was possible."""
    clones: list[int] = []
    try:
        for folder in folders:
            path = os.fsencode(folder)
            clones.append(call("open_tree", _AT_FDCWD, path, _OPEN_TREE_CLONE | _RECURSIVE | os.O_CLOEXEC))
        _set(_AT_FDCWD, b"/", _MountAttributes(set=_READ_ONLY | _NO_SET_UID))
        for folder, clone in zip(folders, clones, strict=True):
            call("move_mount", clone, b"", _AT_FDCWD, os.fsencode(folder), _MOVE_MOUNT_F_EMPTY_PATH)
    except OSError:
        return False
    finally:
        for clone in clones:
            os.close(clone)
    return True


def own_shared_memory() -> bool:
    """After `own_only`, give the call a separate /dev/shm, which thread pools need; return
    whether it was possible.
    """
    flags = _NO_SET_UID_MOUNT | _NO_DEVICES | _NO_PROGRAMS
    try:
        call(
            "mount",
            b"tmpfs",
            os.fsencode(SHARED_MEMORY),
            b"tmpfs",
            flags,
            b"size=256m,nr_inodes=10k,mode=700",
        )
    except OSError:
        return False
    return True


def _set(at: int, path: bytes, wanted: _MountAttributes) -> None:
    call("mount_setattr", at, path, _RECURSIVE, ctypes.byref(wanted), ctypes.sizeof(wanted))
