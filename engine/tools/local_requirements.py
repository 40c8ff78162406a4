"""Resolves a manifest's requirements on this machine: runtime, packages, and whether the tool asks first."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.runtime.hosts import missing_packages
from engine.runtime.protocol import Confinement, Runtime
from engine.toolsets.install import packages_folder
from events.late_dataclass import dataclass

__all__ = ["Reach", "asks_first", "lacking", "packages_of", "reach_of", "runtime_of"]


def runtime_of(toolset: Mapping[str, Any], name: str) -> Runtime:
    """Return the runtime that a bundle's manifest names for one of its tools."""
    return _tool(toolset, name).get("runtime", "plain")  # type: ignore[no-any-return] # as the manifest was checked


def packages_of(data: Path, toolset: Mapping[str, Any], bundle: Path | None) -> tuple[Path, ...]:
    """Return the folders of the packages that a toolset's bundle requires."""
    if bundle is None or not (toolset.get("manifest") or {}).get("requirements"):
        return ()
    return (packages_folder(data, bundle),)


def lacking(runtime: Runtime) -> str | None:
    """Return the reason why tools with this runtime cannot run here; None if they can."""
    missing = missing_packages(runtime)
    if not missing:
        return None
    return (
        f"Python's analysis packages are not installed ({', '.join(missing)} missing). `make run` installs them; "
        "by hand: pip install -r requirements-analysis.txt"
    )


def asks_first(
    toolset: Mapping[str, Any], row: Mapping[str, Any], held: Callable[[], Confinement | None]
) -> bool:
    """Return whether the user is asked before each call of a tool.

    `row` is the tool's row; `held` returns how well processes are confined here, and is called only if needed.
    """
    if _tool(toolset, row["tool_name"]).get("requires_confirmation") != "unless_confined":
        return bool(row["requires_confirmation"])
    confinement = held()
    return confinement is None or confinement.level != "full"


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a toolset's tools can use the network, and where they send data."""

    network: bool
    destination: str
    """The toolset, followed by the host if its bundle names one: `web-search:api.exa.ai`. Empty without network access.
    """


def reach_of(toolset: Mapping[str, Any]) -> Reach:
    """Return the network access that a bundle's manifest was granted."""
    granted = (toolset.get("manifest") or {}).get("permissions", {})
    if not granted.get("network"):
        return Reach(network=False, destination="")
    hosts = list(granted.get("hosts") or ())
    return Reach(
        network=True, destination=":".join([toolset["id"], *([",".join(map(str, hosts))] if hosts else [])])
    )


def _tool(toolset: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    tools = (toolset.get("manifest") or {}).get("tools", ())
    return next((tool for tool in tools if tool["id"] == name), {})
