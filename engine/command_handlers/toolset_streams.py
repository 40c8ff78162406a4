"""What is known of a toolset, and appending to its stream: with the events of the MCP servers that it declares."""

from collections.abc import Sequence

from engine.command_handlers.servers import ServerCommands
from engine.deciders import toolset as decide
from engine.tools.tool import BUILTIN
from engine.tools.toolbox import ReadModels, Toolbox
from engine.toolsets.manifest import Manifest
from events.event import Event
from events.log import Append, EventLog

__all__ = ["ToolsetStreams"]


class ToolsetStreams:
    """The streams of toolsets. Whoever decides on what is known holds the lock of toolsets until it is appended."""

    def __init__(self, log: EventLog, read: ReadModels, toolbox: Toolbox, servers: ServerCommands) -> None:
        self._log = log
        self._read = read
        self._toolbox = toolbox
        self._servers = servers
        self._decided_on: dict[str, int] = {}
        """By stream: its version when it was asked what is known, which decisions are for."""

    def known(self, toolset_id: str) -> decide.Known | None:
        """Return what decisions need to know of a toolset; None if it is not installed."""
        stream = f"toolset-{toolset_id}"
        self._decided_on[stream] = self._log.stream_version(stream)
        if toolset_id != BUILTIN and self._decided_on[stream] == 0:
            return None
        row = self._toolbox.toolset(toolset_id)
        if row is None and toolset_id != BUILTIN:
            return None
        if row is None:
            own = [tool for tool in self._read("tools") if tool["toolset_id"] is None]
            row = {"name": "Built-in", "version": "", "content_hash": "", "enabled": True, "tools": own}
        tools = {tool["tool_name"]: bool(tool["enabled"]) for tool in row["tools"]}
        return decide.Known(
            toolset_id, row["name"], row["version"], row["content_hash"], bool(row["enabled"]), tools
        )

    def manifest(self, toolset_id: str) -> Manifest | None:
        """Return the manifest of an installed toolset."""
        rows = [row for row in self._toolbox.toolsets() if row["id"] == toolset_id]
        return Manifest.from_json(rows[0]["manifest"]) if rows else None

    def append(self, toolset_id: str, events: Sequence[Event], more: Sequence[Append] = ()) -> None:
        """Append a toolset's events, and in the same batch those of the MCP servers that it declares."""
        if events:
            stream = f"toolset-{toolset_id}"
            decided_on = self._decided_on.pop(stream, None)
            expected = self._log.stream_version(stream) if decided_on is None else decided_on
            self._log.append(Append(stream, events, expected), *more)
            self._toolbox.forget()
            self._servers.follow(more)
