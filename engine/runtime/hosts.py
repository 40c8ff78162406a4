"""The hosts of an engine: for each runtime, a source of tool processes with that runtime's packages loaded."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from engine.runtime.processes import ForkingHost, Host, SingleUseHosts
from engine.runtime.protocol import Runtime

__all__ = ["Hosts", "close_hosts", "missing_packages", "new_host", "new_hosts"]

Hosts: TypeAlias = Mapping[Runtime, Host]

_ANALYSIS = ("anabranch_tool.analysis",)
"""The module that imports the packages of the tool `python`. This takes seconds, so the host with these packages starts
only when a call first needs it.
"""
_SOURCE = ("anabranch_tool.source_drivers",)

_NEEDED: Mapping[Runtime, Mapping[str, str]] = {
    "plain": {},
    "source": {},
    "analysis": {
        "scipy": "scipy",
        "statsmodels": "statsmodels",
        "sklearn": "scikit-learn",
        "matplotlib": "matplotlib",
        "altair": "altair",
    },
}
"""Runtime → the modules of optional packages that its tools need, each with the name of its package. These packages may
be missing in an installation.
"""


def missing_packages(runtime: Runtime) -> list[str]:
    """Return the packages that tools with this runtime need but that are not installed. Nothing is imported."""
    return [package for module, package in _NEEDED[runtime].items() if find_spec(module) is None]


def new_hosts(
    preload: Sequence[str] = (),
    python: Path | None = None,
    *,
    fork: bool | None = None,
    own_processes: bool = True,
) -> dict[Runtime, Host]:
    """Return a source of processes for each runtime, for use by one or more pools; nothing is started yet.

    Without `own_processes`, calls share the machine's process namespace. This is only for tests and measurements.
    """
    make = partial(new_host, python, fork=fork, own_processes=own_processes)
    return {
        "plain": make(preload),
        "source": make((*preload, *_SOURCE)),
        "analysis": make((*preload, *_ANALYSIS)),
    }


def new_host(
    python: Path | None, preload: Sequence[str], *, fork: bool | None = None, own_processes: bool = True
) -> Host:
    """Return a source of processes that have the modules `preload` loaded; see `new_hosts`."""
    forks = sys.platform.startswith("linux") if fork is None else fork
    make = partial(ForkingHost, own_processes=own_processes) if forks else SingleUseHosts
    return make(python or Path(sys.executable), preload)


def close_hosts(hosts: Hosts) -> None:
    """End the idle processes of all hosts."""
    for host in hosts.values():
        host.close()
