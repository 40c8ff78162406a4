"""Out of events: the versions of a toolset that were ever installed, and what a new chat ticks."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from events.canonical import JSON
from events.catalog.toolset import ToolsetInstalled, ToolsetUpgraded
from events.event import Recorded
from events.projections.registers import of_types

__all__ = ["ToolsetVersion", "next_selection", "toolset_versions"]


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


def next_selection(cursor: Any, everything: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """What a new chat ticks, out of the log: the last choice in any chat, and of `everything` what came since."""
    found = cursor.execute(
        f"SELECT payload->'$.selection' FROM event_log WHERE {of_types('ToolsSelected', 'ToolsAdded')} "
        "ORDER BY position DESC LIMIT 1"
    ).fetchall()
    last: dict[str, list[str]] = json.loads(found[0][0]) if found else {}
    return last | {home: tools for home, tools in everything.items() if home not in last}
