"""Facts about one toolset. Stream `toolset-<id>`; the built-in tools have `toolset-builtin`."""

from typing import Literal

from events.event import Event, Value
from events.json_value import JSON

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
    """How the bundle uses the file."""
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
    """The user accepted a bundle, and it was stored."""

    type: Literal["ToolsetInstalled"] = "ToolsetInstalled"
    enabled: bool = True
    consent: Literal["sheet", "yes", "ships"] = "sheet"
    """How the user agreed: on the consent sheet (`sheet`) or by `--yes`. `ships`: nobody was asked, because the bundle
    ships with Anabranch.
    """


class ToolsetUpgraded(_Content):
    """Another version of the toolset, or other content for the same version, replaced the old one. The old files are
    kept.
    """

    type: Literal["ToolsetUpgraded"] = "ToolsetUpgraded"
    consent: Literal["sheet", "yes", "ships", "folder"] = "sheet"
    """How the user agreed. `folder`: nobody was asked, because the toolset's live folder changed but requests only
    what the user had already accepted.
    """


class ToolsetEnabled(Event):
    """The user enabled the toolset."""

    type: Literal["ToolsetEnabled"] = "ToolsetEnabled"


class ToolsetDisabled(Event):
    """The user disabled the toolset."""

    type: Literal["ToolsetDisabled"] = "ToolsetDisabled"


class ToolsetConfigured(Event):
    """The toolset's configuration was set: values without secrets, and the names of the secrets that are set."""

    type: Literal["ToolsetConfigured"] = "ToolsetConfigured"
    values: dict[str, str]
    """Setting → value, without secrets."""
    secret_names: tuple[str, ...] = ()
    """Settings whose values are stored as secrets."""


class ToolsetVariablesAllowed(Event):
    """The user chose the environment variables that the toolset receives if they are set. It receives no others."""

    type: Literal["ToolsetVariablesAllowed"] = "ToolsetVariablesAllowed"
    variables: tuple[str, ...]
    """The environment variables that the toolset's tools and servers may receive."""
    source: str
    """The source to which the variables were granted: a folder, an address, the content of a ZIP, or Anabranch
    itself.
    """


class ToolsetUninstalled(Event):
    """The toolset was uninstalled and is no longer offered; its results stay visible."""

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
    """The user chose the renderer for a tool's results. The choice has priority 100 among renderers; None restores the
    default.

    This event is in the stream of the tool's toolset or MCP server.
    """

    type: Literal["RenderConfigSet"] = "RenderConfigSet"
    tool: str
    renderer: str | None
    config: dict[str, JSON]


class BuiltinToolsRegistered(Event):
    """The built-in tools of a release were recorded."""

    type: Literal["BuiltinToolsRegistered"] = "BuiltinToolsRegistered"
    tools: JSON
    """The tools, as a list in the format of a manifest."""
