"""Confines a tool process. The process confines itself before any of the bundle's code is imported.

Each layer reports what it actually did, so that the call's record never claims more than that. Most of the work is done
before a call arrives (`Ready`). Must run while the process has one thread: the kernel's restrictions apply to
the thread that requests them.
"""

import contextlib
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.runtime.sandbox.levels import LEVELS, level_of
from engine.runtime.sandbox.limits import limit_resources
from engine.runtime.sandbox.readable import DEVICES, NETWORK, for_every_tool

if sys.platform == "linux":
    from engine.runtime.sandbox import landlock, mounts, namespaces, privileges, processes, seccomp

__all__ = ["Confined", "NotConfined", "Ready", "Terms", "can_have_own_mounts", "can_have_own_processes"]


class NotConfined(Exception):
    """Raised if the process cannot be confined to the required level. The text is for people."""

    def __init__(self, confined: "Confined", at_least: str) -> None:
        """`confined` is the actual confinement."""
        self.confined = confined
        super().__init__(
            f"This tool was not run: tools must be confined at least to “{at_least}”, but this call could only be "
            f"confined to “{confined.level}”. `anabranch doctor` reports what is missing. To allow less, change the "
            "setting `sandbox_at_least`."
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """The rights granted to one call."""

    workspace: Path
    private: Path
    """The call's own folder for HOME and temporary files."""
    bundle: Path | None
    packages: Sequence[Path]
    environment: Mapping[str, str]
    network: bool
    seconds: float
    memory_bytes: int
    file_bytes: int
    at_least: str = "process only"
    """The minimum level at which the call may run, or `strongest`, the highest level that this system supports."""
    without: Collection[str] = ()
    """Layers to leave out: for tests and measurements."""
    readable: Sequence[Path] = ()
    """More files that the call may read."""


@dataclass(frozen=True, slots=True)
class Confined:
    """The result of confining a process: its level (see `engine.runtime.protocol.Confinement`) and the
    enforced layers.
    """

    level: str
    layers: tuple[str, ...]


def can_have_own_mounts() -> bool:
    """Return whether processes here can have separate mounts. Call this before there are threads."""
    return sys.platform == "linux" and mounts.possible()


def can_have_own_processes() -> bool:
    """Return whether calls here can have a process namespace. Call this before there are threads."""
    return sys.platform == "linux" and processes.possible()


class Ready:
    """A process that has already done all work that does not depend on its call."""

    def __init__(self, *, own_mounts: bool, own_processes: bool = False) -> None:
        """`own_mounts` is the result of `can_have_own_mounts`; with `own_processes`, the process was forked by a
        process that has left the shared process namespace.
        """
        self._own_mounts = False
        self._own_processes = own_processes
        self._version = 0
        if sys.platform != "linux" or _threads() != 1:
            return
        self._own_mounts = own_mounts and mounts.own_namespace()
        self._version = landlock.abi()
        if self._version:
            self._files = landlock.Ruleset(self._version)
            self._files.allow_reading(for_every_tool())
            self._files.allow_devices(DEVICES)

    def confine(self, terms: Terms) -> Confined:
        """Give up everything that the call was not granted, and change to its workspace.

        The caller must have created the process group. Raises NotConfined.
        """
        os.environ.clear()
        os.environ.update(terms.environment)
        layers = ["process group", "clean environment"]
        if sys.platform == "linux":
            layers += self._hold(terms)
        else:
            os.chdir(terms.workspace)
            layers += _limits(terms, own_user=False)
        confined = Confined(level_of(layers), tuple(layers))
        at_least = self._strongest(terms) if terms.at_least == "strongest" else terms.at_least
        if LEVELS.index(confined.level) < LEVELS.index(at_least):
            raise NotConfined(confined, at_least)
        return confined

    def _strongest(self, terms: Terms) -> str:
        """Return the highest level that this system supports if the layers in `without` are left out."""
        if not self._version or {"files", "privileges"} & {*terms.without}:
            return LEVELS[0]
        whole = seccomp.available() and not {"system calls", "resource limits"} & {*terms.without}
        return LEVELS[2] if whole else LEVELS[1]

    def _hold(self, terms: Terms) -> list[str]:
        folders = [terms.workspace, terms.private]
        layers = []
        own = self._own_mounts and "read-only mounts" not in terms.without and mounts.own_only(folders)
        shared = own and mounts.own_shared_memory()
        # only now, because a process's working folder stays on the mount through which it was entered
        os.chdir(terms.workspace)
        layers += _limits(terms, own_user=self._own_mounts and os.geteuid() != 0)
        if own:
            layers.append("read-only mounts")
        if self._own_processes:
            layers.append("own processes")
        if not terms.network and "own network" not in terms.without and self._own_network():
            layers.append("own network")
        if "privileges" in terms.without or not privileges.give_up():
            return layers
        layers.append("no privileges")
        if _threads() != 1:
            return layers
        layers += self._landlock(terms, [mounts.SHARED_MEMORY] if shared else [])
        if "system calls" not in terms.without and seccomp.install(
            network=terms.network, attributes=own, groups=self._own_processes
        ):
            layers.append("system calls")
            if not terms.network:
                layers.append("no network")
        return layers

    def _own_network(self) -> bool:
        """Move to a network namespace without any interface. This needs the rights that came with the
        separate mounts.
        """
        return self._own_mounts and namespaces.leave(namespaces.NETWORK)

    def _landlock(self, terms: Terms, more: Sequence[Path]) -> list[str]:
        if not self._version:
            return []
        if "files" in terms.without:
            self._files.close()
            return []
        try:
            self._files.allow_reading(
                [*terms.packages, *([terms.bundle] if terms.bundle else ()), *terms.readable]
            )
            if terms.network:
                self._files.allow_reading(NETWORK)
            for folder in (terms.workspace, terms.private, *more):
                self._files.allow_writing(folder)
            self._files.enforce(network=terms.network)
        except OSError:
            return []
        layers = [f"files (Landlock {self._version})"]
        if self._version >= 6:
            layers.append("signals")
        return layers


def _limits(terms: Terms, *, own_user: bool) -> list[str]:
    limited = "resource limits" not in terms.without and limit_resources(
        seconds=terms.seconds,
        memory_bytes=terms.memory_bytes,
        file_bytes=terms.file_bytes,
        own_user=own_user,
    )
    return ["resource limits"] if limited else []


def _threads() -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 -- before pathlib's cost
    return 1
