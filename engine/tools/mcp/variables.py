"""Replaces `${VAR}` in a server's command, environment, address and headers when the server is started (MCP-2).

The result contains secrets: it is passed to the server and not stored anywhere.
"""

from collections.abc import Callable
from dataclasses import field

from engine.errors import AnabranchError
from engine.toolsets.guarded import steers
from engine.toolsets.manifest import McpServer
from engine.toolsets.references import REFERENCE, references
from events.late_dataclass import dataclass

__all__ = ["NotConfigured", "Resolved", "resolve"]


class NotConfigured(AnabranchError):
    """Raised if a server names variables that have no value."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__("mcp_not_configured", f"not configured: {', '.join(names)}")
        self.names = names


@dataclass(frozen=True, slots=True)
class Resolved:
    """The actual command and environment for starting a server."""

    command: str | None = None
    args: tuple[str, ...] = field(default=(), repr=False)
    env: dict[str, str] = field(default_factory=dict, repr=False)
    url: str | None = field(default=None, repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    network: bool = False
    """Whether the server's process may use the network."""
    paths: tuple[str, ...] = ()
    """Paths that the server's process may read, or write, in addition to its own program."""
    unconfined: bool = False


def resolve(server: McpServer, value_of: Callable[[str], str | None]) -> Resolved:
    """Return the command with each variable's value, but without environment variables that control the program itself.

    Servers with such variables are refused today, but an older release may have recorded such a server in the log.

    Raises:
        NotConfigured: variables have no value; the error names all of them.
    """
    values = {name: value_of(name) for name in references(server)}
    missing = tuple(name for name, value in values.items() if not value)
    if missing:
        raise NotConfigured(missing)

    def filled(text: str) -> str:
        return REFERENCE.sub(lambda found: values[found[1]] or "", text)

    return Resolved(
        filled(server.command) if server.command else None,
        tuple(filled(text) for text in server.args),
        {name: filled(text) for name, text in server.env.items() if not steers(name)},
        filled(server.url) if server.url else None,
        {name: filled(text) for name, text in server.headers.items()},
        server.reaches_network,
        tuple(filled(path) for path in server.paths),
        server.unconfined,
    )
