"""Describes the data that a pending call would send from this machine: the destination, the exact bytes, and the files
(TRN-7).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from engine.tools.call_plans import files_seen
from engine.tools.tool import Tool
from engine.toolsets.lookalikes import visible_json
from engine.views.chat import CallView
from engine.workspace.manifest import FileEntry
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Leaving", "readable_json", "what_leaves"]


@dataclass(frozen=True, slots=True)
class Leaving:
    """The data that a call would send."""

    destination: str
    """The destination, as in `SendRuleSet`."""
    host: str
    """The host in the destination, or the whole destination."""
    known: Literal["host", "claimed", "unknown"]
    """Whether the destination is certain, only declared by the bundle, or not an address at all."""
    first: bool
    """Whether this would be the first time that the chat sends data there."""
    text: str
    """The arguments as JSON, exactly as the call would send them."""
    size: int
    """The size of the text in bytes of UTF-8."""
    files: tuple[tuple[str, int], ...]
    """Path and size of each file that the call's process can read, and could therefore send."""


def readable_json(value: JSON) -> str:
    """Return a value as JSON on several lines, with every invisible character escaped."""
    return visible_json(json.dumps(value, ensure_ascii=False, indent=2))


def what_leaves(
    call: CallView, tool: Tool | None, files: Mapping[str, FileEntry], calls: Sequence[CallView]
) -> Leaving | None:
    """Return the data that `call` would send; None if it sends nothing. `files` are the files of its workspace, `calls`
    the calls of its chat so far.

    An MCP server's tool receives only its arguments. The tool's code decides whether all of this data is sent.
    """
    if call.sends_to is None:
        return None
    text = readable_json(call.args)
    given = {} if tool is None or tool.server is not None else files_seen(tool, call.args, files)
    sent = any(other.sends_to == call.sends_to and other.started_at is not None for other in calls)
    return Leaving(
        destination=call.sends_to,
        host=_host(call.sends_to, tool),
        known=_known(call.sends_to, tool),
        first=not sent,
        text=text,
        size=len(text.encode()),
        files=tuple((path, entry.size) for path, entry in given.items()),
    )


def _host(destination: str, tool: Tool | None) -> str:
    """Return the host in a destination, or the whole destination if it contains no host."""
    if destination.startswith("mcp:") or (tool is not None and tool.server is not None):
        return destination
    return destination.partition(":")[2] or destination


def _known(destination: str, tool: Tool | None) -> Literal["host", "claimed", "unknown"]:
    if destination.startswith("mcp:"):
        return "unknown"
    if tool is not None and tool.server is not None:
        return "host"
    return "claimed" if ":" in destination else "unknown"
