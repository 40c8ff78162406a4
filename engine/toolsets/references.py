"""Finds the variables that a bundle needs: the variables of its keys, and references such as `${NAME}` of its MCP
servers."""

import re

from engine.toolsets.guarded import FACTS
from engine.toolsets.manifest import ConfigKey, Manifest, McpServer

__all__ = ["REFERENCE", "keys_of", "references", "wanted_variables"]

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""The form of a reference to a variable in a server's configuration."""


def references(server: McpServer) -> tuple[str, ...]:
    """Return the names of the variables that a server refers to, each once, in order."""
    texts = [
        server.command or "",
        *server.args,
        *server.paths,
        *server.env.values(),
        server.url or "",
        *server.headers.values(),
    ]
    return tuple(dict.fromkeys(name for text in texts for name in REFERENCE.findall(text)))


def wanted_variables(manifest: Manifest) -> tuple[str, ...]:
    """Return the variables of this machine that a bundle would receive if they are set, each once, in order."""
    known = {name for key in manifest.config for name in (key.name, key.env)} | FACTS
    named = [name for server in manifest.mcp_servers for name in references(server) if name not in known]
    return tuple(dict.fromkeys([*(key.env for key in manifest.config), *named]))


def keys_of(manifest: Manifest) -> tuple[ConfigKey, ...]:
    """Return the keys that a bundle declares. For each other `${NAME}` to which its servers refer, add a key for a
    secret.
    """
    own = manifest.config
    known = {name for key in own for name in (key.name, key.env)} | FACTS
    implied: dict[str, ConfigKey] = {}
    for server in manifest.mcp_servers:
        for name in references(server):
            if name not in known and name not in implied and not name.startswith("_"):
                told = f"The MCP server {server.id} uses this variable."
                implied[name] = ConfigKey(name=name, env=name, secret=True, description=told)
    return (*own, *implied.values())
