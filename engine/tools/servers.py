"""Builds the MCP servers of an installation from the read models, the toolsets' keys and the vault."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from engine.runtime.protocol import Asked
from engine.secrets.scrubber import Scrubber
from engine.secrets.vault import Vault
from engine.tools.mcp.servers import McpServers
from engine.tools.mcp.values import OfferedTool, ServerSpec, ServerState
from engine.tools.tool import Tool
from engine.tools.toolbox import ReadModels, Toolbox
from engine.toolsets.administrator import Administrator
from engine.toolsets.availability import BY_ADMINISTRATOR, BY_USER
from engine.toolsets.guarded import FACTS
from engine.toolsets.manifest import McpServer
from events.json_value import JSONObject

__all__ = ["mcp_servers", "server_secret"]

_SECONDS = 60.0
_A_LITTLE = 2.0
_NAMED = 60.0
"""The seconds to wait for the first tools of a server that is requested by name."""


def server_secret(server_id: str, variable: str) -> str:
    """Return the name in the vault for a server's `${VAR}`."""
    return f"mcp/{server_id}/{variable}"


def mcp_servers(
    toolbox: Toolbox,
    read: ReadModels,
    vault: Vault,
    environ: Mapping[str, str],
    data: Path,
    scrubber: Scrubber,
    at_least: Callable[[], Asked] = lambda: "strongest",
    backoff: tuple[float, float] = (1.0, 60.0),
) -> McpServers:
    """Return the servers, and add their tools to the toolbox. None of them is started; see `McpServers`."""

    administrator = Administrator(environ)

    def specs() -> list[ServerSpec]:
        toolsets = {row["id"]: row for row in toolbox.toolsets()}
        ban = administrator.ban()
        return [_spec(row, toolsets, banned=ban.server(row["id"])) for row in read("mcp_servers")]

    servers = McpServers(
        specs=specs,
        value_of=partial(_value_of, toolbox, read, vault, environ),
        stamp=lambda: (vault.stamp(), administrator.stamp()),
        data=data,
        environ=environ,
        scrubber=scrubber,
        backoff=backoff,
        at_least=at_least,
    )
    toolbox.serve(ServerTools(servers))
    return servers


def _value_of(
    toolbox: Toolbox,
    read: ReadModels,
    vault: Vault,
    environ: Mapping[str, str],
    spec: ServerSpec,
    name: str,
) -> str | None:
    """Return the value of a server's `${NAME}`, if the server may have it."""
    agreed = False
    for toolset_id in spec.toolset_ids:
        configured = toolbox.configuration(toolset_id)
        if configured is not None:
            keys = {key.name: key.env for key in configured.manifest.config}
            granted = configured.environment(of_servers=True)
            if value := granted.get(name) or granted.get(keys.get(name, "")):
                return value
            agreed |= name in configured.allowed
    if name in FACTS:
        return environ.get(name)
    # A user who registers a server names its variables and so agrees to them. For a bundle's server, the user must
    # agree.
    if any(
        row["id"] == spec.id and (row["by_user"] or not row["toolset_ids"]) for row in read("mcp_servers")
    ):
        return vault.get(server_secret(spec.id, name), (name,))
    return vault.of_host(server_secret(spec.id, name), (name,)) if agreed else None


def _spec(row: Mapping[str, Any], toolsets: Mapping[str, Mapping[str, Any]], *, banned: bool) -> ServerSpec:
    declaring = [toolsets[toolset_id] for toolset_id in row["toolset_ids"] or () if toolset_id in toolsets]
    reasons = [toolset["reason"] for toolset in declaring if toolset["reason"] in (BY_ADMINISTRATOR, BY_USER)]
    off = ""
    if banned:
        off = BY_ADMINISTRATOR
    elif not row["enabled"]:
        off = BY_USER
    elif declaring and len(reasons) == len(declaring) and not row["by_user"]:
        off = f"the toolset {declaring[0]['name']}: {reasons[0]}"
    return ServerSpec(
        id=row["id"],
        config=McpServer.model_validate({"id": row["id"], **row["config"]}),
        toolset_ids=tuple(toolset["id"] for toolset in declaring),
        enabled=bool(row["enabled"]),
        off=off,
        trusted=bool(row["trusted"]),
        trusted_tools=row["trusted_tools"],
    )


class ServerTools:
    """The servers' tools as the engine runs them; see `toolbox.ServedTools`."""

    def __init__(self, servers: McpServers) -> None:
        self._servers = servers

    def tools(self) -> tuple[Tool, ...]:
        """Return the servers' tools that are known now."""
        return tuple(_tools(self._servers.states()))

    def soon(self, server_id: str | None = None) -> tuple[Tool, ...]:
        """Like `tools`, but wait a little for servers that are connecting, and longer for the server `server_id`."""
        return tuple(_tools(self._servers.settled(_NAMED if server_id else _A_LITTLE, only=server_id)))


def _tools(states: tuple[ServerState, ...]) -> Iterator[Tool]:
    for state in states:
        for tool in state.tools:
            yield _tool(state, tool)


def _tool(state: ServerState, tool: OfferedTool) -> Tool:
    home = f"mcp:{state.id}"
    trusted = state.trusts(tool)  # the tool's own claims about its effects count only if it is trusted
    changed = state.trusted and not trusted
    return Tool(
        tool_id=f"{home}:{tool.name}",
        toolset_id=home,
        toolset_name=state.id,
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        requires_confirmation=not trusted,
        effects="read" if tool.read_only and trusted else "write",
        timeout=_SECONDS,
        entrypoint="",
        source=f"server:{state.config_hash}#{tool.fingerprint}",
        server=state.id,
        remote_name=tool.remote_name,
        command=tool.name.replace("_", "-").lower(),
        command_argument=_first_required(tool.input_schema),
        version=state.server or None,
        network=state.reaches_network,
        destination=state.destination if state.reaches_network else "",
        note=f"This tool is new or has changed since you trusted {state.id}, so it asks first."
        if changed
        else None,
        available=state.usable,
        reason=None if state.usable else state.detail or f"The MCP server {state.id} is {state.state}.",
    )


def _first_required(schema: JSONObject) -> str | None:
    """Return the first required argument that is text. It receives the rest of a command's line."""
    properties, required = schema.get("properties"), schema.get("required")
    for name in required if isinstance(required, list) else []:
        told = properties.get(name) if isinstance(properties, dict) and isinstance(name, str) else None
        if isinstance(told, dict) and told.get("type") == "string":
            return str(name)
    return None
