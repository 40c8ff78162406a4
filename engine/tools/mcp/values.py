"""Data classes for MCP servers and their tools, without anything from the SDK."""

import re
from collections.abc import Mapping
from dataclasses import field
from hashlib import sha256
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from engine.runtime.protocol import Confinement
from engine.system.input_limits import (
    MCP_DESCRIPTION,
    MCP_SCHEMA_BYTES,
    MCP_SCHEMAS_BYTES,
    MOST_IN_ARGUMENTS,
    excess,
)
from engine.toolsets.manifest import McpServer
from engine.toolsets.schema import check_schema
from engine.toolsets.schema_patterns import without_patterns
from events.canonical import canonical_json
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "OfferedTool",
    "ServerSpec",
    "ServerState",
    "Standing",
    "StoredFile",
    "ToolAnswer",
    "config_of",
    "offered_tools",
]

Standing: TypeAlias = Literal["connecting", "ready", "not_configured", "failed", "off"]

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+"
)
_ANY: JSONObject = {"type": "object"}


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A server as recorded in the log; secret values are written as `${VAR}`."""

    id: str
    config: McpServer
    toolset_ids: tuple[str, ...] = ()
    """The installed toolsets that declare the server; empty if only the user registered it."""
    enabled: bool = True
    """Whether the user allows the server to start."""
    off: str = ""
    """The reason why the server should not run, in words; empty if it should."""
    trusted: bool = False
    """Whether its tools run without asking first."""
    trusted_tools: Mapping[str, str] | None = None
    """Tool name → the tool's fingerprint at the time when the user trusted the server; None if fingerprints were not
    stored yet at that time.
    """

    @property
    def runs(self) -> str:
        """The command or the address, with `${VAR}` unresolved."""
        return self.config.url or " ".join([self.config.command or "", *self.config.args])


def config_of(server: McpServer) -> dict[str, JSON]:
    """Return the server's configuration for `McpServerRegistered`: how it is started, without empty fields."""
    told = server.model_dump(mode="json", exclude={"id", "auto_enabled"})
    return {key: value for key, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool that a server offers, made safe for models."""

    name: str
    """The tool's name within the server, in characters of `[A-Za-z0-9_.-]`."""
    remote_name: str
    """The original name that the server gave the tool."""
    title: str
    description: str
    input_schema: JSONObject
    read_only: bool = False
    destructive: bool = True

    @property
    def fingerprint(self) -> str:
        """The hexadecimal SHA-256 of the tool's whole description. A different text or schema makes it a different
        tool."""
        return sha256(canonical_json(self.to_json()).encode()).hexdigest()

    def to_json(self) -> JSONObject:
        """Return the tool as it is stored in the file of last offered tools."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ServerState:
    """The status of a server."""

    id: str
    toolset_ids: tuple[str, ...]
    transport: Literal["stdio", "http"]
    runs: str
    """The whole command or the address; `${VAR}` is not resolved."""
    enabled: bool
    """Whether the server may be started."""
    trusted: bool
    state: Standing
    detail: str = ""
    """The reason why the server is not ready, in words, such as `not configured: VAR`."""
    next_try: float | None = None
    """Seconds from now until the next attempt."""
    tools: tuple[OfferedTool, ...] = ()
    """The tools that the server offers; while it is not ready, the tools that it offered last."""
    stderr: str = field(default="", repr=False)
    """The end of the server's standard error output."""
    server: str = ""
    """The server's name and version, as it reports them."""
    trusted_tools: Mapping[str, str] | None = None
    """See `ServerSpec.trusted_tools`."""
    config_hash: str = ""
    """The hexadecimal SHA-256 of the server's command or address with all settings."""
    reaches_network: bool = True
    """Whether arguments of the server's tools can leave this machine."""
    held: Confinement | None = None
    """The layers that actually confine the server's process; None if it has no process here."""

    @property
    def how_held(self) -> str:
        """The server's confinement in a few words; empty while it does not run."""
        if self.transport == "http":
            return "not on this machine: the arguments of its tools are sent to its address"
        if self.held is None:
            return ""
        if self.held.level == "process only":
            return "not confined: runs as you"
        return "confined, with the network" if self.reaches_network else f"confined: {self.held.level}"

    @property
    def destination(self) -> str:
        """Where calls send their arguments: to the host in the server's address, or to the server itself."""
        host = _host(self.runs) if self.transport == "http" else None
        return host or f"mcp:{self.id}"

    def trusts(self, tool: OfferedTool) -> bool:
        """Return whether the user trusts the server and this tool, and the tool has not changed since."""
        known = self.trusted_tools
        return self.trusted and (known is None or known.get(tool.name) == tool.fingerprint)

    @property
    def usable(self) -> bool:
        """Whether its tools can be called: the server is ready, or will be soon."""
        soon = self.state == "connecting" or (self.state == "failed" and (self.next_try or 60.0) <= 5.0)
        return self.state == "ready" or (soon and bool(self.tools))


@dataclass(frozen=True, slots=True)
class StoredFile:
    """Binary content of an answer."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A server's answer to one call."""

    value: Mapping[str, JSON]
    """The answer as JSON. Binary data is not in it, but in the files that `files` names."""
    files: tuple[StoredFile, ...] = ()
    failed: str | None = None
    """The error text, in the tool's words, if the tool itself failed."""


def offered_tools(told: list[Mapping[str, JSON]]) -> tuple[OfferedTool, ...]:
    """Make a server's tool descriptions safe for models: names, texts and schemas."""
    tools: dict[str, OfferedTool] = {}
    room = MCP_SCHEMAS_BYTES
    for entry in told:
        remote = str(entry.get("name") or "")
        if not remote or len(remote) > 512:
            continue
        name = _clean_name(remote, tools)
        schema, note = _schema(entry.get("input_schema"), room)
        room -= len(canonical_json(schema))
        description = _plain(entry.get("description"), MCP_DESCRIPTION)
        tools[name] = OfferedTool(
            name,
            remote,
            _plain(entry.get("title"), 200) or name,
            f"{description} {note}".strip() or name,
            schema,
            entry.get("read_only") is True,
            entry.get("destructive") is True,
        )
    return tuple(tools.values())


def _clean_name(remote: str, taken: Mapping[str, OfferedTool]) -> str:
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", remote)[:64]
    if name != remote or name in taken:
        name = f"{name[:55]}_{sha256(remote.encode(errors='replace')).hexdigest()[:8]}"
    return name


def _schema(schema: JSON, room: int) -> tuple[JSONObject, str]:
    """Return the schema and an empty note, or a schema that accepts any object and a note that says what was left out
    and why.
    """
    if not isinstance(schema, dict):
        return _ANY, "(It does not say what arguments it takes.)"
    too_much = excess(schema, MOST_IN_ARGUMENTS)
    if too_much is not None:
        return _ANY, f"(The description of its arguments was left out: {too_much}.)"
    try:
        text = canonical_json(schema)
        if len(text) > min(MCP_SCHEMA_BYTES, room):
            return _ANY, f"(The description of its arguments has {len(text):,} bytes and was left out.)"
        plain, patterns = without_patterns(schema)
        faults = [fault for fault in check_schema(plain) if fault[0] != "schema_reserved"]
    except (ValueError, TypeError, RecursionError):
        return _ANY, "(The description of its arguments could not be read.)"
    if faults:
        return _ANY, f"(The description of its arguments is not valid and was left out: {faults[0][1][:200]})"
    if patterns:
        shown = ", ".join(_plain(pattern, 80) for pattern in patterns[:3])
        return (
            plain,
            f"(Only the server checks the pattern {shown}; it cannot be checked here in bounded time.)",
        )
    return plain, ""


def _plain(text: JSON, longest: int) -> str:
    clean = _CONTROL.sub(" ", text).strip() if isinstance(text, str) else ""
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def _host(address: str) -> str | None:
    """Return the host of an address; None if it is not known, for instance because it contains a variable."""
    try:
        host = urlsplit(address).hostname
    except ValueError:
        return None
    return host if host and "$" not in host and "{" not in host else None
