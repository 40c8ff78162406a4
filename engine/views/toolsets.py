"""The versions of a toolset that were ever installed, out of its events."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from events.canonical import JSON
from events.catalog.toolset import ToolsetInstalled, ToolsetUpgraded
from events.event import Recorded

__all__ = ["ToolsetVersion", "toolset_versions"]


@dataclass(frozen=True, slots=True)
class ToolsetVersion:
    """One content that a toolset had."""

    version: str
    content_hash: str
    installed_at: datetime
    """UTC."""
    source_ref: str
    tools: tuple[str, ...] = ()
    """The names of its tools."""


def toolset_versions(stream: Iterable[Recorded]) -> list[ToolsetVersion]:
    """Return them, the latest first."""
    found = [
        ToolsetVersion(
            r.event.version,
            r.event.content_hash,
            r.occurred_at,
            r.event.source_ref,
            _tools(r.event.manifest),
        )
        for r in stream
        if isinstance(r.event, ToolsetInstalled | ToolsetUpgraded)
    ]
    return found[::-1]


def _tools(manifest: JSON) -> tuple[str, ...]:
    tools = manifest.get("tools") if isinstance(manifest, dict) else None
    return (
        tuple(str(tool["id"]) for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()
    )
