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
    """Path of the file in the bundle."""
    kind: Literal["python", "artifact", "asset", "config"]
    """The use of the file in the bundle."""
    sha256: str
    size: int
    stored_path: str
    """Path of the stored copy, relative to the data folder."""


class _Content(Event):
    name: str
    version: str
    description: str
    manifest_version: str
    content_hash: str
    source_type: Literal["zip", "local", "url"]
    """How the bundle was provided."""
    source_ref: str
    manifest: JSON
    """`toolset.yaml` as read, with its defaults filled in."""
    files: tuple[StoredFile, ...]
    skill: JSON = None
    """The front matter of its SKILL.md, if it has one."""


class ToolsetInstalled(_Content):
    """The user agreed to a bundle, and it was stored."""

    type: Literal["ToolsetInstalled"] = "ToolsetInstalled"
    enabled: bool = True
    consent: Literal["sheet", "yes", "ships"] = "sheet"
    """How the user agreed: on the capability sheet, by `--yes`, or not at all because it ships with Anabranch."""


class ToolsetUpgraded(_Content):
    """Another version, or different content of the same version, replaced it; older files are kept."""

    type: Literal["ToolsetUpgraded"] = "ToolsetUpgraded"
    consent: Literal["sheet", "yes", "ships", "folder"] = "sheet"
    """`folder`: the folder that it follows changed, and asks for nothing beyond what the user agreed to."""


class ToolsetEnabled(Event):
    """The user enabled it."""

    type: Literal["ToolsetEnabled"] = "ToolsetEnabled"


class ToolsetDisabled(Event):
    """The user disabled it."""

    type: Literal["ToolsetDisabled"] = "ToolsetDisabled"


class ToolsetConfigured(Event):
    """Configuration without secrets, and the names of the secrets that are set."""

    type: Literal["ToolsetConfigured"] = "ToolsetConfigured"
    values: dict[str, str]
    """Setting → value, without secrets."""
    secret_names: tuple[str, ...] = ()
    """Settings whose values are stored as secrets."""


class ToolsetVariablesAllowed(Event):
    """The user named the environment variables that the toolset receives if they are set, and no others."""

    type: Literal["ToolsetVariablesAllowed"] = "ToolsetVariablesAllowed"
    variables: tuple[str, ...]
    """Environment variables that its servers may read."""
    source: str
    """The source to which the user agreed: a folder, an address, the content of a ZIP, or Anabranch itself."""


class ToolsetUninstalled(Event):
    """The toolset is no longer offered; its results stay visible."""

    type: Literal["ToolsetUninstalled"] = "ToolsetUninstalled"


class ToolEnabled(Event):
    """One tool was enabled again."""

    type: Literal["ToolEnabled"] = "ToolEnabled"
    tool: str
    """The tool's name within its toolset."""


class ToolDisabled(Event):
    """One tool was disabled in all chats."""

    type: Literal["ToolDisabled"] = "ToolDisabled"
    tool: str


class RenderConfigSet(Event):
    """The user chose how a tool's results are shown (priority 100); None as the renderer restores the default.

    It is in the stream of the tool's toolset, or of its MCP server.
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
