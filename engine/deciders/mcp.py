"""Decisions about MCP servers (declare, register, enable, trust, remove). Pure functions."""

from collections.abc import Mapping, Sequence

from engine.errors import NotFound, Refused
from events.catalog.mcp import (
    McpServerDisabled,
    McpServerEnabled,
    McpServerRegistered,
    McpServerRemoved,
    McpServerTrustSet,
)
from events.event import Event
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Declared", "KnownServer", "declare", "register", "remove", "require_server", "switch", "trust"]


@dataclass(frozen=True, slots=True)
class KnownServer:
    """The server registered under an id."""

    id: str
    config: Mapping[str, JSON]
    toolset_ids: tuple[str, ...]
    by_user: bool
    enabled: bool
    trusted: bool
    trusted_tools: Mapping[str, str] | None = None
    """Tool name → fingerprint of each trusted tool; None: all tools are trusted."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A server as a toolset's manifest declares it."""

    id: str
    config: Mapping[str, JSON]
    agreed: bool
    """Whether the user's agreement to the toolset enables the server."""


def declare(
    toolset_id: str, servers: Sequence[Declared], known: Mapping[str, KnownServer]
) -> dict[str, list[Event]]:
    """Return the events for a toolset that now declares exactly `servers`: server → events.

    Raises:
        Refused: a server with the same id is already registered with another configuration (`mcp_server_taken`).
    """
    events: dict[str, list[Event]] = {}
    for server in servers:
        there = known.get(server.id)
        if there is None:
            events[server.id] = _first(server, toolset_id)
        elif there.config == server.config:
            if toolset_id not in there.toolset_ids:
                events[server.id] = [_shared(there, (*there.toolset_ids, toolset_id))]
        elif there.by_user or set(there.toolset_ids) != {toolset_id}:
            raise _taken(server.id, there)
        else:  # an upgrade changed the server, so the user's trust in the old one does not apply
            changed = McpServerRegistered(
                config=dict(server.config), enabled=there.enabled and server.agreed, toolset_ids=(toolset_id,)
            )
            events[server.id] = [changed]
    kept = {server.id for server in servers}
    for server_id, there in known.items():
        if toolset_id in there.toolset_ids and server_id not in kept:
            others = tuple(other for other in there.toolset_ids if other != toolset_id)
            events[server_id] = [_shared(there, others)] if others or there.by_user else [McpServerRemoved()]
    return events


def _first(server: Declared, toolset_id: str) -> list[Event]:
    known = McpServerRegistered(config=dict(server.config), enabled=False, toolset_ids=(toolset_id,))
    return [known, McpServerEnabled()] if server.agreed else [known]


def _shared(there: KnownServer, toolset_ids: tuple[str, ...]) -> McpServerRegistered:
    """Return an event that registers the known server again and lists exactly these toolsets as declaring it."""
    return McpServerRegistered(
        config=dict(there.config),
        enabled=there.enabled,
        toolset_ids=toolset_ids,
        by_user=there.by_user,
        trusted=there.trusted,
        trusted_tools=None if there.trusted_tools is None else dict(there.trusted_tools),
    )


def _taken(server_id: str, there: KnownServer) -> Refused:
    whose = "your settings" if there.by_user else f"the toolset {', '.join(there.toolset_ids)}"
    return Refused(
        "mcp_server_taken",
        f"An MCP server {server_id} from {whose} already exists, and it is started differently. "
        "Remove that server first, or choose another id.",
    )


def require_server(known: KnownServer | None, server_id: str) -> KnownServer:
    """Return the server. Raise `NotFound` if it does not exist (`mcp_server_not_found`)."""
    if known is None:
        words = f"There is no MCP server {server_id}. `anabranch mcp list` shows all servers."
        raise NotFound("mcp_server_not_found", words)
    return known


def register(known: KnownServer | None, config: Mapping[str, JSON]) -> list[Event]:
    """Register a server for the user. There is no event if the user has already registered the same server. A different
    server that the user registered under the id is replaced.

    Raises:
        Refused: a toolset declares a server with the same id and another configuration (`mcp_server_taken`).
    """
    if known is None:
        return [McpServerRegistered(config=dict(config), enabled=True, by_user=True)]
    if known.config == config:
        if known.by_user:
            return []
        return [_shared(known, known.toolset_ids).model_copy(update={"by_user": True})]
    if known.toolset_ids:
        raise _taken(known.id, known)
    return [McpServerRegistered(config=dict(config), enabled=known.enabled, by_user=True)]


def remove(known: KnownServer) -> list[Event]:
    """Remove a server, as the user.

    Raises:
        Refused: a toolset declares the server (`mcp_server_declared`).
    """
    if known.toolset_ids:
        raise Refused(
            "mcp_server_declared",
            f"The MCP server {known.id} belongs to the toolset {', '.join(known.toolset_ids)}. Disable the server, or "
            "uninstall the toolset.",
        )
    return [McpServerRemoved()]


def switch(known: KnownServer, *, on: bool) -> list[Event]:
    """Enable or disable a server; no event if nothing changes."""
    if known.enabled == on:
        return []
    return [McpServerEnabled() if on else McpServerDisabled()]


def trust(known: KnownServer, *, trusted: bool, tools: Mapping[str, str]) -> list[Event]:
    """Set whether a server's tools run without asking first. `tools` has the fingerprints of the tools that the server
    offers now.

    Raises:
        Refused: the server offers no tools yet, so there is nothing to trust (`mcp_nothing_to_trust`).
    """
    if not trusted:
        return [McpServerTrustSet(trusted=False)] if known.trusted else []
    if not tools:
        words = f"The MCP server {known.id} has not offered any tools yet. Trust it once it is connected."
        raise Refused("mcp_nothing_to_trust", words)
    if known.trusted and known.trusted_tools == tools:
        return []
    return [McpServerTrustSet(trusted=True, tools=dict(tools))]
