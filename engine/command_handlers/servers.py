"""Handles commands about MCP servers, and registers the servers that an installed toolset declares (BND-5, MCP-3)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import RLock

from pydantic import ValidationError

from engine.commands.catalog import DisableServer, EnableServer, RegisterServer, RemoveServer, TrustServer
from engine.deciders import mcp as decide
from engine.errors import Invalid
from engine.secrets.secret_names import variable_of
from engine.secrets.vault import Vault
from engine.tools.mcp.servers import McpServers
from engine.tools.mcp.values import config_of
from engine.tools.servers import server_secret
from engine.tools.toolbox import ReadModels
from engine.toolsets.guarded import FACTS, steering
from engine.toolsets.lookalikes import reserved_id
from engine.toolsets.manifest import Manifest, McpServer
from engine.toolsets.manifest_rules import is_address
from engine.toolsets.redact import redact, with_references
from engine.toolsets.references import references
from events.catalog.mcp import McpServerRemoved
from events.event import Event
from events.log import Append, EventLog

__all__ = ["ServerCommands"]

_NAMED = 30.0
"""The seconds that `TrustServer` waits for a server to list its tools."""


class ServerCommands:
    """Handles commands on servers. They never run at the same time as commands on toolsets."""

    def __init__(self, log: EventLog, read: ReadModels, servers: McpServers, vault: Vault) -> None:
        self._log = log
        self._read = read
        self._servers = servers
        self._vault = vault
        self.lock = RLock()
        """Serializes decisions about toolsets and servers. It is held until the decision is appended."""
        self.forget: Callable[[], None] = lambda: None
        """Called after each change, so that other parts can drop what they have cached."""

    def register(self, command: RegisterServer) -> None:
        """See `RegisterServer`. Secrets are stored first, so that the log never names a secret that is not set."""
        with self.lock:
            server = self._checked(command)
            known, at = self._asked(server.id)
            events = decide.register(known.get(server.id), config_of(server))
            for name, value in command.secrets.items():
                self._vault.set(server_secret(server.id, name), value)
            self._append(server.id, at, events)

    def remove(self, command: RemoveServer) -> None:
        """See `RemoveServer`."""
        self._change(command.server_id, decide.remove)

    def enable(self, command: EnableServer) -> None:
        """See `EnableServer`."""
        self._change(command.server_id, partial(decide.switch, on=True))

    def disable(self, command: DisableServer) -> None:
        """See `DisableServer`."""
        self._change(command.server_id, partial(decide.switch, on=False))

    def trust(self, command: TrustServer) -> None:
        """See `TrustServer`."""

        def decided(known: decide.KnownServer) -> Sequence[Event]:
            states = self._servers.settled(_NAMED, only=command.server_id) if command.trusted else ()
            offered = next((state.tools for state in states if state.id == command.server_id), ())
            tools = {tool.name: tool.fingerprint for tool in offered}
            return decide.trust(known, trusted=command.trusted, tools=tools)

        self._change(command.server_id, decided)

    def declared(
        self, toolset_id: str, manifest: Manifest | None, agreed: Sequence[str] | None = None
    ) -> list[Append]:
        """Return the events to append when a toolset gets `manifest`; None means that the toolset is removed.

        The servers in `agreed` are enabled. If `agreed` is None, the servers that the manifest enables are enabled.

        Raises:
            Refused: a server with that id already has another configuration (`mcp_server_taken`).
        """
        servers = [
            decide.Declared(
                server.id, config_of(server), server.auto_enabled if agreed is None else server.id in agreed
            )
            for server in (manifest.mcp_servers if manifest else ())
        ]
        if not servers and self._log.stream_version(f"toolset-{toolset_id}") == 0:
            return []  # the toolset was never installed, so it has no servers to remove
        known, at = self._asked(*(server.id for server in servers))
        decided = decide.declare(toolset_id, servers, known)
        return [Append(f"mcp-{server_id}", events, at[server_id]) for server_id, events in decided.items()]

    def follow(self, appended: Sequence[Append] = ()) -> None:
        """Stop removed servers, delete their secrets, and start new servers."""
        self._servers.changed()
        self.forget()
        for append in appended:
            if any(isinstance(event, McpServerRemoved) for event in append.events):
                self._forget_secrets(append.stream.removeprefix("mcp-"))
                self._servers.forget(append.stream.removeprefix("mcp-"))

    def _change(self, server_id: str, decided: Callable[[decide.KnownServer], Sequence[Event]]) -> None:
        with self.lock:
            known, at = self._asked(server_id)
            self._append(server_id, at, decided(decide.require_server(known.get(server_id), server_id)))

    def _append(self, server_id: str, at: Mapping[str, int], events: Sequence[Event]) -> None:
        if events:
            append = Append(f"mcp-{server_id}", events, at[server_id])
            self._log.append(append)
            self.follow([append])

    def _forget_secrets(self, server_id: str) -> None:
        for name in self._vault.names():
            if name.startswith(server_secret(server_id, "")):
                self._vault.remove(name)

    def _asked(self, *server_ids: str) -> tuple[Mapping[str, decide.KnownServer], Mapping[str, int]]:
        """Return the state of all servers, and the version of each server's stream, also for the servers in
        `server_ids`.

        The versions are read first, so that any event that another writer appends later causes a conflict.
        """
        ids = {*server_ids, *(row["id"] for row in self._read("mcp_servers"))}
        versions = {server_id: self._log.stream_version(f"mcp-{server_id}") for server_id in ids}
        known = {
            row["id"]: decide.KnownServer(
                row["id"],
                row["config"],
                tuple(row["toolset_ids"] or ()),
                bool(row["by_user"]) or not row["toolset_ids"],
                bool(row["enabled"]),
                bool(row["trusted"]),
                row["trusted_tools"],
            )
            for row in self._read("mcp_servers")
            if row["id"] in ids
        }
        return known, versions

    def _checked(self, command: RegisterServer) -> McpServer:
        """Return the server as the log may store it: known secrets are replaced by references.

        Raises:
            Invalid: the server is not valid, contains an unknown secret, or does not use a given secret.
        """
        server = _server_of(command)
        _require_startable(server)
        secrets = {variable_of(name): value for name, value in self._vault.values().items()}
        secrets |= command.secrets
        one = Manifest(manifest_version="1", id="own", name="own", version="1.0.0", mcp_servers=(server,))
        kept = with_references(one, secrets).mcp_servers[0]
        clean = redact(one, secrets).mcp_servers[0]
        if clean != kept:
            raise _literal(clean, kept)
        unnamed = sorted(set(command.secrets) - set(references(kept)))
        if unnamed:
            words = f"No field of this server contains ${{{unnamed[0]}}}, so the secret would not reach it."
            raise Invalid("mcp_secret_unused", words)
        return kept


def _server_of(command: RegisterServer) -> McpServer:
    try:
        return McpServer.model_validate(
            {
                "id": command.server_id,
                "command": command.command,
                "args": list(command.args),
                "env": dict(command.env),
                "url": command.url,
                "headers": dict(command.headers),
                "network": command.network,
                "paths": list(command.paths),
                "unconfined": command.unconfined,
            }
        )
    except ValidationError as error:
        told = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False)]
        raise Invalid("mcp_server_invalid", f"This is not a valid MCP server: {'; '.join(told)}.") from None


def _require_startable(server: McpServer) -> None:
    """Reject a server that has a reserved id, sets a guarded variable, or does not have either a command or a valid
    url."""
    if taken := reserved_id(server.id, ()):
        raise Invalid(
            "mcp_server_invalid",
            f"The id {server.id} is, or looks like, {taken}, which is Anabranch's own. Choose another id.",
        )
    if steered := steering([*server.env, *(set(references(server)) - FACTS)]):
        raise Invalid(
            "mcp_server_invalid",
            f"The variable {steered[0]} changes how the server's program works, so it cannot be set. Leave it out.",
        )
    if (server.command is None) == (server.url is None):
        raise Invalid(
            "mcp_server_invalid",
            "An MCP server needs either a command to start or a url, but not both.",
        )
    if server.url and not is_address(server.url):
        raise Invalid(
            "mcp_server_invalid", "The url of an MCP server must be an http or https address with a host."
        )


def _literal(clean: McpServer, kept: McpServer) -> Invalid:
    names = [name for name in references(clean) if name not in references(kept)]
    shown = ", ".join(f"${{{name}}}" for name in names)
    return Invalid(
        "mcp_literal_secret",
        f"This looks like a secret, and the configuration of a server is stored in the log. Write {shown} instead, "
        "and give the value as a secret of that name.",
    )
