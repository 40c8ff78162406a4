"""toolset.yaml as a value: a bundle's identity, its tools and its requests.

`read_manifest` turns the file's bytes into a `Manifest`, or into one `Invalid` that lists every problem with its line.
The value's own JSON (`to_json`, `from_json`) is canonical and is stored in ToolsetInstalled; all later releases must
read it, so fields are only ever added, each with a default.
"""

import re
from pathlib import PurePath
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from engine.errors import Invalid
from engine.rendering.renderers import RENDERERS
from engine.toolsets.manifest_fields import (
    Command,
    ConfigName,
    EnvName,
    Items,
    Line,
    Text,
    ToolId,
    ToolsetId,
    Version,
)
from events.json_value import JSON, JSONObject

__all__ = [
    "MANIFEST_NAME",
    "ConfigKey",
    "Example",
    "Manifest",
    "McpServer",
    "Permissions",
    "RendererManifest",
    "ToolManifest",
    "default_env",
    "full_renderer",
]

MANIFEST_NAME = "toolset.yaml"
DEFAULT_TIMEOUT = 60.0
MAX_TIMEOUT = 3600.0


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


def full_renderer(value: Any) -> Any:
    """Return a renderer's full form, from short forms such as `renderer: table` and configuration beside `type`."""
    if isinstance(value, str):
        return {"type": value}
    if isinstance(value, dict) and "config" not in value and isinstance(value.get("type"), str):
        renderer = RENDERERS.get(value["type"])
        known = renderer.all_keys if renderer else frozenset(value) - {"type", "priority"}
        config = {key: item for key, item in value.items() if key in known}
        return {key: item for key, item in value.items() if key not in known} | {"config": config}
    return value


class RendererManifest(_Part):
    """How a tool's result is shown: a renderer's name and its configuration."""

    type: Line
    """The name of the renderer."""
    config: JSONObject = {}
    priority: int = 0
    """The priority; the highest one wins, and the user's own choice has 100."""

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        return full_renderer(value)


class Example(_Part):
    """A call that shows how a tool is used; `anabranch toolset test` runs it."""

    description: Text = ""
    """The purpose of the example."""
    args: JSONObject = {}
    """The arguments of the call."""
    files: dict[str, str] = {}
    """Workspace path → the text of that file before the call."""
    expected_keys: Items[str] = ()
    """Keys that the returned object must have."""


class ToolManifest(_Part):
    """One tool of a bundle."""

    id: ToolId
    name: Line
    description: Text
    """What the tool does, for models."""
    entrypoint: Line
    """The function to call: `tools.module:function` or `module:function`."""
    category: Text = ""
    """The group in the tool picker."""
    input_schema: JSONObject = {"type": "object", "properties": {}}
    """The JSON Schema of the arguments."""
    requires_confirmation: bool | Literal["unless_confined"] = False
    """Whether the user is asked before each call; `unless_confined`: only if the sandbox is incomplete."""
    effects: Literal["read", "create", "write"] = "write"
    """How the tool may change the workspace."""
    timeout: float = Field(default=DEFAULT_TIMEOUT, gt=0, le=MAX_TIMEOUT, allow_inf_nan=False)
    """The time limit in seconds."""
    renderer: RendererManifest | None = None
    command: Command
    """The slash command name, without the slash."""
    command_argument: str | None = None
    """The argument that receives the rest of a slash command's line."""
    examples: Items[Example] = ()
    """Calls that show how to use the tool."""
    runtime: Literal["plain", "analysis"] = "plain"
    """The runtime; in `analysis`, the packages for statistics and figures are already loaded."""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("id"), str):
            return value
        words = value["id"].replace("_", " ")
        filled = {"name": words[:1].upper() + words[1:], "command": value["id"].replace("_", "-")} | value
        if filled.get("command_argument") is None:
            filled["command_argument"] = _first_required_text(value.get("input_schema"))
        return filled


_FETCH = frozenset(
    {
        "npx",
        "npm",
        "pnpm",
        "pnpx",
        "yarn",
        "bunx",
        "bun",
        "uvx",
        "uv",
        "pipx",
        "deno",
        "go",
        "docker",
        "podman",
    }
)
"""Programs that download the program that they start."""


class McpServer(_Part):
    """An MCP server that comes with the bundle: a command to start, or an address."""

    id: ToolsetId
    command: Line | None = None
    args: Items[str] = ()
    env: dict[EnvName, str] = {}
    """Environment variables of the server."""
    url: Line | None = None
    headers: dict[str, str] = {}
    network: bool = False
    """Whether the server's process may use the network; a command that downloads its own program always may."""
    paths: Items[Line] = ()
    """Files and folders that the process may read in addition to its own program; a `:rw` at the end allows writing."""
    unconfined: bool = False
    """Whether the server is not confined at all. Only the user can choose this, not a bundle."""
    auto_enabled: bool = True
    """Whether the user's agreement to the bundle enables the server."""

    @property
    def reaches_network(self) -> bool:
        """Whether the server can use the network. It can if it has an address, declares `network`, downloads its
        program, or is unconfined.
        """
        program = PurePath(self.command or "").name.lower().removesuffix(".cmd").removesuffix(".exe")
        return self.network or self.unconfined or self.url is not None or program in _FETCH


def default_env(name: str) -> str:
    """Return the default environment variable for a configuration key that does not name a variable."""
    return re.sub(r"[^A-Z0-9_]", "_", name.upper())


class ConfigKey(_Part):
    """A setting or key that the user must or may give to the bundle."""

    name: ConfigName
    description: Text = ""
    """What the value is used for."""
    secret: bool = False
    """Whether the value is stored as a secret."""
    required: bool = False
    """Whether the toolset needs the value."""
    env: EnvName
    """The variable in which tools receive the value; by default the name in capitals."""
    unless: Items[ConfigName] = ()
    """Other keys. If one of them has a value, this key is not required."""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("name"), str) and value.get("env") is None:
            return value | {"env": default_env(value["name"])}
        return value


class Permissions(_Part):
    """Permissions of a bundle's tools beyond their workspace."""

    network: bool = False
    """Whether tools may reach the network."""
    hosts: Items[Line] = ()
    """The hosts that the tools send data to, according to the bundle. They are shown to the user but not enforced."""


class Manifest(_Part):
    """A whole toolset.yaml."""

    manifest_version: Literal["1"]
    id: ToolsetId
    name: Line
    version: Version
    description: Text = ""
    tools: Items[ToolManifest] = ()
    """The tools."""
    mcp_servers: Items[McpServer] = ()
    """MCP servers that come with the toolset."""
    config: Items[ConfigKey] = ()
    """Settings and keys that the user can set."""
    permissions: Permissions = Permissions()
    """The permissions that the toolset requests."""
    requirements: Items[Line] = ()
    """Python packages that the tools need, such as `humanize>=4`."""

    @model_validator(mode="before")
    @classmethod
    def _empty_means_default(cls, value: Any) -> Any:
        """Treat an optional key without a value, such as `tools:`, as absent. Read `manifest_version: 1` like `"1"`,
        since the meaning is clear.
        """
        if not isinstance(value, dict):
            return value
        optional = {"tools", "mcp_servers", "config", "permissions", "requirements", "description"}
        kept = {key: item for key, item in value.items() if item is not None or key not in optional}
        if kept.get("manifest_version") == 1 and not isinstance(kept["manifest_version"], bool | float):
            kept["manifest_version"] = "1"
        return kept

    def tool(self, tool_id: str) -> ToolManifest | None:
        """Return the tool with this id."""
        return next((tool for tool in self.tools if tool.id == tool_id), None)

    def to_json(self) -> JSONObject:
        """Return the manifest as a JSON object with every default filled in."""
        return self.model_dump(mode="json")

    @classmethod
    def from_json(cls, value: JSON) -> "Manifest":
        """Return the manifest that `to_json` wrote.

        Raises:
            Invalid: the value is not a manifest (`manifest_json`).
        """
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            message = (
                f"the stored manifest cannot be read: {error.errors()[0]['msg']}; install the toolset again"
            )
            raise Invalid("manifest_json", message) from error


def _first_required_text(schema: Any) -> str | None:
    """Return the first required property that takes text."""
    if not isinstance(schema, dict) or not isinstance(schema.get("required"), list):
        return None
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    for name in schema["required"]:
        described = properties.get(name) if isinstance(name, str) else None
        if isinstance(described, dict) and described.get("type") == "string":
            return str(name)
    return None
