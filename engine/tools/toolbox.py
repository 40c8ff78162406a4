"""The tools, from the read models: which tools are installed, whether they are available, and where their code is."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any, Protocol

from engine.config import SHIPPED
from engine.deciders.sources import Source
from engine.rendering.plan import RenderConfig, choose
from engine.runtime.protocol import Confinement
from engine.secrets.vault import Vault
from engine.tools.builtin import READ_SKILL
from engine.tools.installed_tools import publisher_of, stored_bundles, tool_of, toolset_of, visible
from engine.tools.local_requirements import asks_first
from engine.tools.sources.offer import with_sources
from engine.tools.tool import BUILTIN, Tool
from engine.toolsets.administrator import Administrator
from engine.toolsets.availability import BY_ADMINISTRATOR
from engine.toolsets.configuration import Configuration
from engine.toolsets.manifest import Manifest
from engine.toolsets.stored_code import StoredCode

__all__ = ["ReadModels", "ServedTools", "Toolbox", "ToolsetRow"]

ToolsetRow = dict[str, Any]
"""A row of `toolsets` with `tools`, `available`, `reason` and the live folder that it `follows`, if any."""


class ReadModels(Protocol):
    """Reads one read model by name."""

    def __call__(
        self, name: str, *, at: int | None = None, chat_id: str | None = None
    ) -> list[dict[str, Any]]: ...


class ServedTools(Protocol):
    """The tools of the MCP servers. Requesting them starts the servers that should run."""

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools that are known now."""
        ...

    def soon(self, server_id: str | None = None) -> tuple[Tool, ...]:
        """Like `tools`, but wait a little for servers that are connecting, and longer for the server `server_id`."""
        ...


class Folders(Protocol):
    """The folders from which toolsets were installed."""

    def look(self, toolset_ids: Collection[str] | None = None) -> None:
        """Update the toolsets with these ids, or all toolsets, to the contents of their folders."""
        ...

    def note(self, toolset_id: str) -> str | None:
        """Return the reason why the current state of a toolset's folder is not used."""
        ...


class Toolbox:
    """All tools as of the last change to any toolset or to the user's keys. Thread-safe."""

    def __init__(
        self,
        read: ReadModels,
        data: Path,
        vault: Vault,
        environ: Mapping[str, str],
        withheld: Collection[str] = (),
        held: Callable[[], Confinement | None] = lambda: None,
        sources: Callable[[], Mapping[str, Source]] = dict,
    ) -> None:
        """`withheld` contains the ids of tools that may not run here; `held` returns how well tool processes are
        confined. `sources` returns the databases and query engines that tools can read.
        """
        self.code = StoredCode()
        self._held = held
        self._sources = sources
        self._read = read
        self._data = data
        self._vault = vault
        self._environ = environ
        self._withheld = withheld
        self._administrator = Administrator(environ)
        self._keys = self._stamp()
        self._lock = RLock()
        self._changes = self._seen_changes = 0
        self._tools: tuple[Tool, ...] | None = None
        self._toolsets: list[ToolsetRow] | None = None
        self._declared: list[dict[str, Any]] = []  # the rows of `tools` behind `_toolsets`
        self._renders: dict[str, list[RenderConfig]] | None = None
        self._served: ServedTools | None = None
        self._folders: Folders | None = None

    def as_of(self, position: int) -> "Toolbox":
        """Return the tools that were installed at a position of the log, with the current keys and bans."""

        def read(name: str, *, at: int | None = None, chat_id: str | None = None) -> list[dict[str, Any]]:
            return self._read(name, at=position if at is None else at, chat_id=chat_id)

        now = (self._vault, self._environ, self._withheld, self._held, self._sources)
        return Toolbox(read, self._data, *now)

    def serve(self, served: ServedTools) -> None:
        """Add the tools of MCP servers."""
        self._served = served

    def follow(self, folders: Folders) -> None:
        """Check these folders whenever tools are offered or a tool is about to run."""
        self._folders = folders

    def forget(self) -> None:
        """Reload changed toolsets at their next use. Never blocks, because the caller holds the log's lock."""
        self._changes += 1

    def tools(self) -> tuple[Tool, ...]:
        """Return all tools: built-in tools, then toolsets' tools in the order of their manifests, then tools of MCP
        servers."""
        return (*self._own(), *(self._shown(self._served.tools()) if self._served else ()))

    def _own(self) -> tuple[Tool, ...]:
        with self._lock:  # not held while servers are asked for their tools, because they request toolsets
            self._see_changes()
            if self._tools is None:
                self._tools = tuple(self._load())
            return self._tools

    def find(self, tool_id: str) -> Tool | None:
        """Return the tool with an id, from the current state of its toolset's folder; None if there is none."""
        home, _, name = tool_id.removeprefix("mcp:").partition(":")
        if self._folders and not tool_id.startswith("mcp:"):
            self._folders.look([home] if name else None)
        if tool_id == READ_SKILL.tool_id:
            return READ_SKILL
        if not tool_id.startswith("mcp:") or not name or self._served is None:
            return next((tool for tool in self._own() if tool.tool_id == tool_id), None)
        known = [tool for tool in self._served.tools() if tool.tool_id == tool_id]
        found = known or [tool for tool in self._served.soon(home) if tool.tool_id == tool_id]
        return next(iter(self._shown(found)), None)

    def offered(self, selection: Mapping[str, Sequence[str]]) -> tuple[Tool, ...]:
        """Return the available tools that are selected in `selection`, and also `read_skill` if there are `skills`."""
        if self._folders:
            self._folders.look()
        served = self._served.soon() if self._served and any(h.startswith("mcp:") for h in selection) else ()
        ticked = [
            t
            for t in (*self._own(), *self._shown(served))
            if t.available and t.name in selection.get(t.home, ())
        ]
        return (*ticked, *([READ_SKILL] if self.skills(selection) else []))

    def skills(self, selection: Mapping[str, Sequence[str]]) -> tuple[tuple[str, str], ...]:
        """Return the names and descriptions of the skills that a chat may read. A skill must belong to an available
        toolset. If the toolset has tools, at least one of them must be selected in the chat.
        """
        return tuple(
            (row["skill"]["name"], row["skill"]["description"])
            for row in self._rows()
            if row["skill"] and row["available"] and (not row["tools"] or selection.get(row["id"]))
        )

    def everything(self) -> dict[str, list[str]]:
        """Return a selection with every available tool, except copies of built-in tools in bundles."""
        chosen: dict[str, list[str]] = {}
        own = self._own()
        built_in = {tool.name for tool in own if tool.home == BUILTIN}
        for tool in (*own, *(self._served.soon() if self._served else ())):
            copy = tool.home in SHIPPED and tool.name in built_in
            if tool.available and not copy:
                chosen.setdefault(tool.home, []).append(tool.name)
        return chosen

    def toolsets(self) -> list[ToolsetRow]:
        """Return the installed toolsets, with availability and tools."""
        return [
            row
            | {"tools": [t | {"requires_confirmation": asks_first(row, t, self._held)} for t in row["tools"]]}
            for row in self._rows()
        ]

    def toolset(self, toolset_id: str) -> ToolsetRow | None:
        """Return one installed toolset, with its tools as its manifest describes them. No process is started
        for this.
        """
        return next((row for row in self._rows() if row["id"] == toolset_id), None)

    def _rows(self) -> list[ToolsetRow]:
        with self._lock:
            self._see_changes()
            if self._toolsets is None:
                self._toolsets = self._load_toolsets()
            return self._toolsets

    def configuration(self, toolset_id: str) -> Configuration | None:
        """Return the values of an installed toolset's keys; None if it is not installed."""
        row = self.toolset(toolset_id)
        return self._configuration(row) if row else None

    def environment_of(self, tool: Tool) -> Mapping[str, str]:
        """Return the variables that a tool's process is granted: its toolset's keys with their current values.

        They contain secrets: pass them to the process and do not store them.
        """
        found = self.configuration(tool.toolset_id) if tool.toolset_id else None
        return found.environment() if found else {}

    def _configuration(self, row: ToolsetRow) -> Configuration:
        manifest = Manifest.from_json(row["manifest"])
        publisher = publisher_of(row)
        agreed = row["allowed_variables"] if row["allowed_source"] == publisher else None
        return Configuration(
            manifest,
            row["configuration"] or {},
            self._vault,
            self._environ,
            publisher,
            frozenset(agreed or ()),
        )

    def _see_changes(self) -> None:
        """Drop cached values if the toolsets, the user's keys or the administrator's file have changed."""
        if self._changes != self._seen_changes:
            self._seen_changes = self._changes
            self._tools = self._toolsets = self._renders = None
        stamp = self._stamp()
        if stamp != self._keys:
            self._tools = self._toolsets = None
            self._keys = stamp

    def _stamp(self) -> object:
        return (self._vault.stamp(), self._administrator.stamp())

    def _load_toolsets(self) -> list[ToolsetRow]:
        self._declared = self._read("tools")
        ban = self._administrator.ban()
        return [
            toolset_of(
                row,
                [tool for tool in self._declared if tool["toolset_id"] == row["id"]],
                self._configuration(row),
                banned=ban.toolset(row["id"]),
                note=self._folders.note(row["id"]) if self._folders else None,
            )
            for row in self._read("toolsets")
        ]

    def _load(self) -> list[Tool]:
        toolsets = {row["id"]: row for row in self._rows()}
        bundles = stored_bundles(self._read("toolset_files"), self._data)
        renders = self._chosen()
        rows = sorted(
            (visible(row) for row in self._declared if row["entrypoint"]),
            key=lambda t: (t["toolset_id"] is not None, t["toolset_id"], t["place"]),
        )
        sources = self._sources()
        tools = [
            tool_of(
                row,
                toolsets.get(row["toolset_id"] or BUILTIN, {}),
                bundles.get(row["toolset_id"] or ""),
                data=self._data,
                held=self._held,
                render=choose(renders.get(row["tool_id"], [])),
                banned=self._is_banned(row),
            )
            for row in rows
        ]
        return [with_sources(tool, sources) for tool in tools]

    def _is_banned(self, row: Mapping[str, Any]) -> bool:
        """Return whether a tool may not run here, because it is withheld or the administrator disabled it."""
        ban = self._administrator.ban()
        built_in = row["toolset_id"] is None and ban.toolset(BUILTIN)
        return row["tool_id"] in self._withheld or ban.tool(row["tool_id"]) or built_in

    def _chosen(self) -> dict[str, list[RenderConfig]]:
        """Return the configurations for showing each tool's results, from its manifest and from the user."""
        with self._lock:
            self._see_changes()
            if self._renders is None:
                self._renders = {}
                for row in self._read("tool_render_configs"):
                    config = RenderConfig(row["renderer"], row["config"] or {}, row["priority"])
                    self._renders.setdefault(row["tool_id"], []).append(config)
            return self._renders

    def _shown(self, served: Sequence[Tool]) -> tuple[Tool, ...]:
        """Return the tools of MCP servers with the user's choice of renderers and the administrator's bans."""
        chosen = self._chosen()
        ban = self._administrator.ban()
        shown = (replace(tool, render=choose(chosen.get(tool.tool_id, []))) for tool in served)
        return tuple(
            replace(tool, available=False, reason=BY_ADMINISTRATOR) if ban.tool(tool.tool_id) else tool
            for tool in shown
        )
