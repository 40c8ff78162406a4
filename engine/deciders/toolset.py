"""Decisions about a toolset: install, upgrade, enable, uninstall. Pure."""

from typing import Literal

from engine.errors import NotFound, Refused
from events.catalog.toolset import (
    StoredFile,
    ToolDisabled,
    ToolEnabled,
    ToolsetDisabled,
    ToolsetEnabled,
    ToolsetInstalled,
    ToolsetUninstalled,
    ToolsetUpgraded,
)
from events.event import Event
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "Bundle",
    "Known",
    "install",
    "require_bundle",
    "require_installed",
    "switch",
    "switch_tool",
    "uninstall",
]

_BUILTIN = "builtin"
"""Used in place of a toolset's id for built-in tools."""


@dataclass(frozen=True, slots=True)
class Known:
    """The installed toolset with a given id."""

    toolset_id: str
    name: str
    version: str
    content_hash: str
    enabled: bool
    tools: dict[str, bool]
    """Tool → whether it is enabled."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A stored bundle that the user agreed to."""

    name: str
    version: str
    description: str
    manifest_version: str
    content_hash: str
    source_type: Literal["zip", "local", "url"]
    source_ref: str
    manifest: JSON
    files: tuple[StoredFile, ...]
    skill: JSON = None


def require_installed(known: Known | None, toolset_id: str) -> Known:
    """Return the toolset. Raise `NotFound` if it is not installed (`toolset_not_found`)."""
    if known is None:
        raise NotFound(
            "toolset_not_found",
            f"No toolset {toolset_id} is installed. `anabranch toolset list` shows the installed toolsets.",
        )
    return known


def require_bundle(toolset_id: str) -> None:
    """Refuse to enable, disable, configure or uninstall all built-in tools together, since they are part of Anabranch.

    Raises:
        Refused: the id belongs to the built-in tools (`builtin_toolset`).
    """
    if toolset_id == _BUILTIN:
        raise Refused(
            "builtin_toolset",
            "The built-in tools are part of Anabranch: they cannot be uninstalled, disabled or configured as a "
            "whole. Disable single tools instead.",
        )


def install(
    known: Known | None, bundle: Bundle, consent: Literal["sheet", "yes", "ships", "folder"]
) -> list[Event]:
    """Install or upgrade a bundle; no event if its content is already installed. With consent `folder`, only an
    installed toolset is upgraded.
    """
    facts = {name: getattr(bundle, name) for name in Bundle.__slots__}
    if known is None:
        if consent == "folder":
            return []
        return [ToolsetInstalled(**facts, consent=consent)]
    if known.content_hash == bundle.content_hash:
        return []
    return [ToolsetUpgraded(**facts, consent=consent)]


def switch(known: Known, *, on: bool) -> list[Event]:
    """Enable or disable a toolset; no event if nothing changes."""
    if known.enabled == on:
        return []
    return [ToolsetEnabled() if on else ToolsetDisabled()]


def switch_tool(known: Known, tool: str, *, on: bool) -> list[Event]:
    """Enable or disable one tool; no event if nothing changes. Raise `NotFound` if there is no such tool."""
    if tool not in known.tools:
        there = ", ".join(known.tools)
        raise NotFound("tool_not_found", f"{known.name} has no tool {tool}. It has: {there}.")
    if known.tools[tool] == on:
        return []
    return [ToolEnabled(tool=tool) if on else ToolDisabled(tool=tool)]


def uninstall() -> list[Event]:
    """Uninstall a toolset; its events and files stay, because other events refer to them."""
    return [ToolsetUninstalled()]
