"""The sheet's description of an MCP server: its command or address, and its confinement here."""

import shlex
from collections.abc import Callable
from typing import Literal, TypeAlias

from engine.toolsets.manifest import McpServer
from events.late_dataclass import dataclass

__all__ = ["Confinement", "SheetServer", "sheet_server"]

Confinement: TypeAlias = Literal["full", "filesystem only", "process only"]


@dataclass(frozen=True, slots=True)
class SheetServer:
    """An MCP server with its whole command or address."""

    id: str
    runs: str
    environment: tuple[str, ...]
    """The names of the variables that the server receives."""
    held: str
    """The access that the server has, and how well this system prevents any other access, in words."""
    standing: Literal["held", "not held", "elsewhere"]
    """`held`: the server can access only what it declares. `not held`: it may access more. `elsewhere`: it is reached
    by its address and does not run here.
    """


def sheet_server(
    server: McpServer, confinement: Confinement | None, plain: Callable[[str], str]
) -> SheetServer:
    """Return the sheet's text; `confinement` is what this system can enforce, None if unknown.

    `plain` removes from a stranger's text everything that could make the sheet show a false statement.
    """
    words = [server.command, *server.args] if server.command else [server.url or ""]
    runs = shlex.join(plain(word) for word in words) if server.command else plain(words[0])
    held, standing = _held(server, confinement, plain)
    return SheetServer(server.id, runs, tuple(sorted([*server.env, *server.headers])), held, standing)


def _held(
    server: McpServer, confinement: Confinement | None, plain: Callable[[str], str]
) -> tuple[str, Literal["held", "not held", "elsewhere"]]:
    if server.url is not None:
        host = plain(server.url.partition("://")[2].partition("/")[0].rpartition("@")[2]) or "there"
        return f"not on this machine: the arguments of its tools are sent to {host}", "elsewhere"
    if server.unconfined or confinement in (None, "process only"):
        where = "" if server.unconfined else " on this system"
        return f"NOT confined{where}: runs as you, with your files and the network", "not held"
    reads = [plain(path) for path in server.paths if not path.endswith(":rw")]
    writes = [plain(path.removesuffix(":rw")) for path in server.paths if path.endswith(":rw")]
    parts = ["confined to its own program and folder"]
    parts += [f"reads {', '.join(reads)}"] if reads else []
    parts += [f"changes {', '.join(writes)}"] if writes else []
    if server.reaches_network:
        why = "" if server.network else f", since {plain(server.command or '')} fetches what it starts"
        parts.append(f"network: yes, any address{why}")
    elif confinement == "full":
        parts.append("no network")
    else:
        parts.append("the network is NOT blocked on this system")
        return "; ".join(parts), "not held"
    return "; ".join(parts), "held"
