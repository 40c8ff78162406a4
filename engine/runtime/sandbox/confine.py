"""What holds a tool process, applied by the process to itself before any of the bundle's code is imported.

Each step tells what it really did, so that the call's record never claims more. Must run while the process has one
thread: later layers bind only the thread that asks for them.
"""

import math
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Confined", "Terms", "confine"]

_DESCRIPTORS = 1024


@dataclass(frozen=True, slots=True)
class Terms:
    """What one call is granted."""

    workspace: Path
    private: Path
    """Its own folder for HOME and temporary files."""
    bundle: Path | None
    environment: Mapping[str, str]
    seconds: float
    memory_bytes: int
    file_bytes: int


@dataclass(frozen=True, slots=True)
class Confined:
    """What was enforced: the level of `engine.runtime.protocol.Confinement`, and the names of the layers."""

    level: str
    layers: tuple[str, ...]


def confine(terms: Terms) -> Confined:
    """Give up everything that the call was not granted; the caller has made the process group."""
    os.environ.clear()
    os.environ.update(terms.environment)
    layers = ["process group", "clean environment"]
    if _limit_resources(terms):
        layers.append("resource limits")
    return Confined("process only", tuple(layers))


def _limit_resources(terms: Terms) -> bool:
    if sys.platform == "win32":
        return False
    import resource  # noqa: PLC0415 -- not there on Windows

    processor_seconds = math.ceil(terms.seconds) * (os.cpu_count() or 1) + 1
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _DESCRIPTORS,
        resource.RLIMIT_FSIZE: terms.file_bytes,
        resource.RLIMIT_DATA: terms.memory_bytes,  # not the address space: DuckDB and Arrow reserve much of that
        resource.RLIMIT_CPU: processor_seconds,
    }
    for kind, soft in wanted.items():
        # A hard limit above the soft one lets SIGXCPU say what happened instead of a bare SIGKILL.
        hard = soft + 2 if kind == resource.RLIMIT_CPU else soft
        _, allowed = resource.getrlimit(kind)
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)  # noqa: PLW2901
        resource.setrlimit(kind, (soft, hard))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    return True
