"""Reads from events: a toolset's installed versions, and the tools that a new chat starts with."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from events.catalog.toolset import ToolsetInstalled, ToolsetUpgraded
from events.event import Recorded
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["ToolsetVersion", "next_selection", "toolset_versions"]


@dataclass(frozen=True, slots=True)
class ToolsetVersion:
    """One installed version of a toolset."""

    version: str
    content_hash: str
    installed_at: datetime
    """The time in UTC."""
    source_ref: str
    tools: tuple[str, ...] = ()
    """The names of the version's tools."""


def toolset_versions(stream: Iterable[Recorded]) -> list[ToolsetVersion]:
    """Return a toolset's installed versions, the latest first."""
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


def next_selection(
    found: Sequence[tuple[str]], everything: Mapping[str, list[str]]
) -> Mapping[str, list[str]]:
    """Return the tools that a new chat starts with: the last selection in any chat, as `found` in the log, and all
    tools of toolsets in `everything` that the selection does not mention.
    """
    last: dict[str, list[str]] = json.loads(found[0][0]) if found else {}
    return last | {home: tools for home, tools in everything.items() if home not in last}
