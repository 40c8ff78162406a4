"""Reads and appends to a toolset's stream, together with the events of the MCP servers that it declares."""

from collections.abc import Sequence

from engine.command_handlers.servers import ServerCommands
from engine.deciders import toolset as decide
from engine.tools.tool import BUILTIN
from engine.tools.toolbox import ReadModels, Toolbox
from engine.toolsets.install import StagedBundle
from engine.toolsets.manifest import Manifest
from events.catalog.toolset import ToolsetInstalled, ToolsetUpgraded
from events.event import Event
from events.log import Append, EventLog

__all__ = ["ToolsetStreams"]


class ToolsetStreams:
    """The streams of toolsets. Before callers read a state, they must acquire the lock for toolsets, and hold it until
    their decision is appended.
    """

    def __init__(self, log: EventLog, read: ReadModels, toolbox: Toolbox, servers: ServerCommands) -> None:
        self._log = log
        self._read = read
        self._toolbox = toolbox
        self._servers = servers

    def version(self, toolset_id: str) -> int:
        """Return the version of a toolset's stream. Call this before `known`, and pass the version to `append`."""
        return self._log.stream_version(f"toolset-{toolset_id}")

    def known(self, toolset_id: str) -> decide.Known | None:
        """Return the toolset's state for decisions; None if the toolset is not installed."""
        if toolset_id != BUILTIN and self.version(toolset_id) == 0:
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

    def is_named(self, staged: StagedBundle) -> bool:
        """Return whether an event names the version that a staged bundle contains."""
        stream = self._log.read_stream(f"toolset-{staged.manifest.id}")
        stored = (
            event.event for event in stream if isinstance(event.event, ToolsetInstalled | ToolsetUpgraded)
        )
        version = (staged.manifest.version, staged.content_hash)
        return any((event.version, event.content_hash) == version for event in stored)

    def append(
        self, toolset_id: str, decided_on: int, events: Sequence[Event], more: Sequence[Append] = ()
    ) -> None:
        """Append a toolset's events, and in the same batch the events of the MCP servers that it declares.

        `decided_on` is the version of the toolset's stream on which the decision was based.
        """
        if events:
            self._log.append(Append(f"toolset-{toolset_id}", events, decided_on), *more)
            self._toolbox.forget()
            self._servers.follow(more)
