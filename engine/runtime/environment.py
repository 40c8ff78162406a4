"""Facts about the environment in which a call ran (RUN-9), which may explain a different result later.

The host lists the modules that it loaded before any call, which are nearly all modules. A call adds only the modules
that its own code imported. Facts that change on the same machine are left out: process ids, free memory, the kernel's
build.
"""

import os
import platform
import sys
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["Environment"]

_OURS = {"anabranch_tool", "engine", "tools", "__main__"}
_VERSION_LENGTH = 60
_MOST_PACKAGES = 400


class Environment:
    """The modules that were loaded when this object was made, and facts about the machine."""

    def __init__(self) -> None:
        self._known = {name.partition(".")[0] for name in sys.modules}
        self._packages = dict(_versions(self._known))
        self._machine = {
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "system": sys.platform,
            "machine": platform.machine(),
            "c_library": " ".join(platform.libc_ver()).strip(),
            "processor": _processor(),
        }

    def facts(self) -> dict[str, object]:
        """Return all facts as JSON; call this after a call has imported its own modules."""
        new = {name.partition(".")[0] for name in list(sys.modules)} - self._known
        packages = self._packages | dict(_versions(new))
        return {
            **self._machine,
            "time_zone": os.environ.get("TZ") or time.tzname[0],
            "locale": os.environ.get("LC_ALL") or os.environ.get("LANG", ""),
            "hash_seed": "random" if sys.flags.hash_randomization else "0",
            "threads": os.environ.get("OMP_NUM_THREADS", ""),
            "packages": dict(sorted(packages.items())[:_MOST_PACKAGES]),
        }


def _versions(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yield the name and version of each module that is a package; modules without a version are left out."""
    for name in names:
        if name.startswith("_") or name in _OURS or name in sys.stdlib_module_names:
            continue
        module = sys.modules.get(name)
        # Not getattr: some packages compute their version, or warn, when it is asked for.
        known = vars(module) if module is not None else {}
        version = known.get("__version__")
        if not isinstance(version, str):
            version = _installed(name) if _is_installed(known.get("__file__")) else None
        if version:
            yield name, version[:_VERSION_LENGTH]


def _is_installed(file: object) -> bool:
    return isinstance(file, str) and ("site-packages" in file or "dist-packages" in file)


def _installed(name: str) -> str | None:
    from importlib import metadata  # noqa: PLC0415 -- costs 50 ms, and few packages have no version of their own

    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, ValueError, OSError):
        return None


def _processor() -> str:
    """Return the processor's model. Numeric libraries choose their code according to the model."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            return next(
                (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), ""
            )
    except OSError:
        return platform.processor()
