"""Facts of one toolset. Stream `toolset-<id>`; the built-in tools have `toolset-builtin`."""

from typing import Literal

from events.canonical import JSON
from events.event import Event, Value

__all__ = [
    "BuiltinToolsRegistered",
    "RenderConfigSet",
    "StoredFile",
    "ToolDisabled",
    "ToolEnabled",
    "ToolsetConfigured",
    "ToolsetDisabled",
    "ToolsetEnabled",
    "ToolsetInstalled",
    "ToolsetUninstalled",
    "ToolsetUpgraded",
    "ToolsetVariablesAllowed",
]


class StoredFile(Value):
    """A file of a stored bundle."""

    path: str
    kind: Literal["python", "artifact", "asset", "config"]
    sha256: str
    size: int
    stored_path: str
    """Relative to the data folder."""


class _Content(Event):
    name: str
    version: str
    description: str
    manifest_version: str
    content_hash: str
    source_type: Literal["zip", "local", "url"]
    """How the bundle was given."""
    source_ref: str
    manifest: JSON
    """`toolset.yaml` as read, with its defaults filled in."""
    files: tuple[StoredFile, ...]
    skill: JSON = None
    """What the front matter of its SKILL.md says, where it has one."""


class ToolsetInstalled(_Content):
    """A bundle was agreed to and stored."""

    type: Literal["ToolsetInstalled"] = "ToolsetInstalled"
    enabled: bool = True
    consent: Literal["sheet", "yes", "ships"] = "sheet"
    """How it was agreed to: on the capability sheet, by `--yes`, or because it ships with Anabranch."""


class ToolsetUpgraded(_Content):
    """Another version, or other content of the same one, took its place; older files stay."""

    type: Literal["ToolsetUpgraded"] = "ToolsetUpgraded"
    consent: Literal["sheet", "yes", "ships", "folder"] = "sheet"
    """`folder`: what it was installed from changed, and asks for nothing more than was agreed to."""


class ToolsetEnabled(Event):
    """The user switched it on."""

    type: Literal["ToolsetEnabled"] = "ToolsetEnabled"


class ToolsetDisabled(Event):
    """The user switched it off."""

    type: Literal["ToolsetDisabled"] = "ToolsetDisabled"


class ToolsetConfigured(Event):
    """Configuration without secrets, and the names of the secrets that are set."""

    type: Literal["ToolsetConfigured"] = "ToolsetConfigured"
    values: dict[str, str]
    """Setting → value, without secrets."""
    secret_names: tuple[str, ...] = ()
    """Settings whose values are kept as secrets."""


class ToolsetVariablesAllowed(Event):
    """The user named variables of this machine that the toolset is given where they are set, and no others."""

    type: Literal["ToolsetVariablesAllowed"] = "ToolsetVariablesAllowed"
    variables: tuple[str, ...]
    """Environment variables that its servers may read."""
    source: str
    """The source that it was agreed for: a folder, an address, the content of a ZIP, or what ships."""


class ToolsetUninstalled(Event):
    """The toolset is no longer offered; its results stay visible."""

    type: Literal["ToolsetUninstalled"] = "ToolsetUninstalled"


class ToolEnabled(Event):
    """One tool was switched on again."""

    type: Literal["ToolEnabled"] = "ToolEnabled"
    tool: str
    """The tool's name within its toolset."""


class ToolDisabled(Event):
    """One tool was switched off, everywhere."""

    type: Literal["ToolDisabled"] = "ToolDisabled"
    tool: str


class RenderConfigSet(Event):
    """The user chose how a tool's results are shown (priority 100); no renderer takes that back.

    It stands in the stream of the tool's toolset, or of its MCP server.
    """

    type: Literal["RenderConfigSet"] = "RenderConfigSet"
    tool: str
    renderer: str | None
    config: dict[str, JSON]


class BuiltinToolsRegistered(Event):
    """The built-in tools of this release."""

    type: Literal["BuiltinToolsRegistered"] = "BuiltinToolsRegistered"
    tools: JSON
    """A list of tools in the shape of a manifest's."""
