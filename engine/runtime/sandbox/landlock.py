"""Landlock: limits the files that a process may access, and separates it from other processes (landlock(7)).

A ruleset is built before the call is known, with the files that every tool may read. The rights of the call are then
added, and the process permanently binds itself and its children to the ruleset.
"""

import contextlib
import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from engine.runtime.sandbox.kernel import call

__all__ = ["Ruleset", "abi"]

_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_CHAR, _MAKE_DIR = 1 << 4, 1 << 5, 1 << 6, 1 << 7
_MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK = 1 << 8, 1 << 9, 1 << 10, 1 << 11
_MAKE_SYM, _REFER, _TRUNCATE, _IOCTL_DEV = 1 << 12, 1 << 13, 1 << 14, 1 << 15
_SINCE = ((1, (1 << 13) - 1), (2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_FIFO | _MAKE_SYM
_WRITE |= _REFER | _TRUNCATE
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE

_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_UNIX, _SIGNAL = 1, 2


def abi() -> int:
    """Return the version that the kernel offers; 0 if Landlock does not exist or is not available."""
    try:
        return call("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


class _Handled(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Ruleset:
    """The accesses that are allowed. Every other access that Landlock can refuse is refused."""

    def __init__(self, version: int, *, no_network: bool = False) -> None:
        """`version` is the result of `abi`, at least 1; if `no_network` is set, only TCP is restricted, and no files.
        Raises OSError.
        """
        self._version = version
        if no_network:
            # Every ruleset forbids moves between folders by default, so this one needs a rule that allows them.
            self._files = _REFER
            self._descriptor = _create(_Handled(_REFER, _BIND_TCP | _CONNECT_TCP, 0), version)
            return
        self._files = sum(rights for since, rights in _SINCE if version >= since)
        scopes = _ABSTRACT_UNIX | _SIGNAL if version >= 6 else 0
        self._descriptor = _create(_Handled(self._files, 0, scopes), version)

    def allow_reading(self, paths: Iterable[Path | str]) -> None:
        """Allow reading and running everything at or below each of `paths`; missing paths are ignored."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                self._allow(path, _READ)

    def allow_devices(self, paths: Iterable[Path | str]) -> None:
        """Allow reading and writing these device files, if they exist."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError, PermissionError):
                self._allow(path, _READ_FILE | _WRITE_FILE)

    def allow_writing(self, folder: Path) -> None:
        """Allow everything below `folder` except devices and sockets; raises OSError, also if `folder` is a link."""
        self._allow(folder, _WRITE, os.O_NOFOLLOW | os.O_DIRECTORY)

    def _allow(self, path: Path | str, rights: int, flags: int = 0) -> None:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC | flags)
        try:
            self._add(descriptor, rights & self._files)
        finally:
            os.close(descriptor)

    def _add(self, descriptor: int, rights: int) -> None:
        try:
            rule = _PathBeneath(rights, descriptor)
            call("landlock_add_rule", self._descriptor, _PATH_BENEATH, ctypes.byref(rule), 0)
        except OSError as error:
            if (
                error.errno != 22 or rights & _OF_A_FILE == rights
            ):  # EINVAL: `descriptor` is a file, for which some rights do not exist
                raise
            self._add(descriptor, rights & _OF_A_FILE)

    def enforce(self, *, network: bool) -> None:
        """Bind this thread and its children to the ruleset; if `network` is false, they cannot use TCP either. Raises
        OSError.
        """
        call("landlock_restrict_self", self._descriptor, 0)
        self.close()
        if self._version >= 4 and not network:
            closed = Ruleset(self._version, no_network=True)
            closed._allow("/", _REFER)
            closed.enforce(network=True)

    def close(self) -> None:
        """Close the ruleset; enforced rules stay in force."""
        os.close(self._descriptor)


def _create(handled: _Handled, version: int) -> int:
    size = 8 if version < 4 else 16 if version < 6 else 24
    return call("landlock_create_ruleset", ctypes.byref(handled), size, 0)
