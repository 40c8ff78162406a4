"""The consent sheet: a bundle's possible effects, shown before any of its code runs (BND-3).

The app draws it and the terminal prints it. It contains a stranger's texts, so control characters and marks that change
the direction of text are shown as codes. Otherwise the sheet could show false statements.
"""

from collections.abc import Iterator, Mapping, Sequence

from engine.toolsets.install import StagedBundle
from engine.toolsets.lookalikes import visible
from engine.toolsets.manifest import ConfigKey, Manifest, ToolManifest, default_env
from engine.toolsets.sheet_servers import Confinement, SheetServer, sheet_server
from engine.toolsets.source import followed
from engine.toolsets.upgrade import UpgradeDiff, upgrade_diff
from events.late_dataclass import dataclass

__all__ = ["CapabilitySheet", "Confinement", "SheetKey", "SheetServer", "SheetTool", "capability_sheet"]

_CONFINEMENT: dict[Confinement, str] = {
    "full": "confined to the chat's workspace: no other file is changed or read, no network unless granted",
    "filesystem only": "confined to the chat's workspace; the network is NOT blocked on this system, granted or not",
    "process only": "NOT confined on this system: its tools could read and send whatever you can",
}
_ASKS: Mapping[bool | str, str] = {
    True: "asks first",
    "unless_confined": "asks first if the sandbox is not full",
    False: "",
}
_FOLLOWS = (
    "this folder: changed code is used by the next call without asking; new tools, changed descriptions, effects or "
    "confirmation, permissions, packages, servers and keys wait until you agree to them"
)
_FILES = {
    "read": "reads the chat's files",
    "create": "adds files to the chat's workspace",
    "write": "may change and remove the chat's files",
}


@dataclass(frozen=True, slots=True)
class SheetTool:
    """One tool as the sheet lists it."""

    id: str
    name: str
    description: str
    """The first line of the description."""
    asks_first: str
    """The text `asks first`, with its condition; empty if the tool does not ask."""
    effects: str
    """The tool's effects on files, in words."""
    command: str
    """The slash command, with its slash."""


@dataclass(frozen=True, slots=True)
class SheetKey:
    """A value that the user is asked for."""

    name: str
    description: str
    secret: bool
    required: bool
    unless: tuple[str, ...] = ()
    """Other keys; if one of them is set, this key is not needed."""
    env: str = ""
    """The variable from which the value can also come, if the variable's name differs from the key's name."""


@dataclass(frozen=True, slots=True)
class CapabilitySheet:
    """The capabilities that the user agrees to."""

    toolset_id: str
    name: str
    version: str
    description: str
    source: str
    file_count: int
    total_bytes: int
    tools: tuple[SheetTool, ...]
    network: bool
    packages: tuple[str, ...]
    servers: tuple[SheetServer, ...]
    keys: tuple[SheetKey, ...]
    confinement: str | None = None
    """How well this system confines the tools, in words; None if this is not known."""
    skill: str | None = None
    """The purpose of the bundle's instructions for the model; None if it has none. Instructions run no code."""
    upgrade: UpgradeDiff | None = None
    """The changes in an upgrade. The rest of the sheet then contains only new or different parts, or everything if
    another publisher's toolset is replaced.
    """
    follows: str | None = None
    """A note that the toolset follows its folder, and what that means; None if it does not follow a folder."""
    another: str | None = None
    """A note that names both sources, if the bundle is or may be a different toolset from the installed one with the
    same id; else None.
    """
    keys_stored: tuple[str, ...] = ()
    """Keys of the installed ZIP that this ZIP receives only if the user names them."""
    variables: tuple[str, ...] = ()
    """Variables that are set on this machine and that the bundle receives if the user agrees to each one."""

    def as_text(self) -> str:
        """Return the sheet for a terminal."""
        return "\n".join(_lines(self))


def capability_sheet(
    staged: StagedBundle, installed: Manifest | None = None, confinement: Confinement | None = None
) -> CapabilitySheet:
    """Return the sheet of a staged bundle; for an upgrade from `installed`, only the changes.

    `confinement` describes how well this system can confine tool processes.
    """
    manifest = staged.manifest
    changes = upgrade_diff(installed, manifest) if installed else None
    tools, packages = manifest.tools, manifest.requirements
    servers, keys = manifest.mcp_servers, manifest.config
    network = manifest.permissions.network
    if changes:
        shown = {*changes.tools_added, *(change.tool for change in changes.tools_changed)}
        tools = tuple(tool for tool in tools if tool.id in shown)
        packages = changes.packages_added
        servers = tuple(s for s in servers if s.id in {*changes.mcp_added, *changes.mcp_changed})
        keys = tuple(key for key in keys if key.name in {*changes.config_added, *changes.config_changed})
        network = any(name == "network" and after for name, _, after in changes.permissions)
    return CapabilitySheet(
        manifest.id,
        _plain(manifest.name),
        manifest.version,
        _plain(manifest.description),
        _plain(staged.source_ref) or staged.source_type,
        len(staged.files),
        sum(file.size for file in staged.files),
        tuple(_tool(tool) for tool in tools),
        network,
        tuple(_plain(package) for package in packages),
        tuple(sheet_server(server, confinement, _plain) for server in servers),
        tuple(_key(key) for key in keys),
        _CONFINEMENT[confinement] if confinement and manifest.tools else None,
        _plain(staged.skill.description) if staged.skill else None,
        changes,
        _FOLLOWS if followed(staged.source_type, staged.source_ref) else None,
    )


def _tool(tool: ToolManifest) -> SheetTool:
    first = _plain(tool.description.strip().split("\n", 1)[0])
    return SheetTool(
        tool.id,
        _plain(tool.name),
        first if len(first) <= 160 else first[:159] + "…",
        _ASKS[tool.requires_confirmation],
        _FILES[tool.effects],
        f"/{tool.command}",
    )


def _key(key: ConfigKey) -> SheetKey:
    env = "" if key.env == default_env(key.name) else key.env
    return SheetKey(key.name, _plain(key.description), key.secret, key.required, key.unless, env)


def _lines(sheet: CapabilitySheet) -> Iterator[str]:
    if sheet.upgrade:
        yield f"Upgrade {sheet.name} ({sheet.toolset_id}) {sheet.upgrade.old_version} → {sheet.version}"
        yield from _changes(sheet.upgrade)
    else:
        yield f"Install {sheet.name} ({sheet.toolset_id}) {sheet.version}"
    yield f"  from {sheet.source}, {sheet.file_count} files, {sheet.total_bytes:,} bytes. Nothing in it has run yet."
    if sheet.another:
        yield f"  CAUTION   {sheet.another}"
    if sheet.follows:
        yield f"  follows   {sheet.follows}"
    if sheet.description:
        yield f"  {sheet.description}"
    for tool in sheet.tools:
        asks = f" · {tool.asks_first}" if tool.asks_first else ""
        yield f"  tool      {tool.id} – {tool.description} ({tool.effects}{asks})"
    if sheet.skill:
        what = sheet.skill if sheet.skill != sheet.description else "as above"
        yield f"  skill     instructions that the model may read; they run no code: {what}"
    if sheet.network or (sheet.tools and not sheet.upgrade):
        yield f"  network   {'yes, any address' if sheet.network else 'no'}"
    if sheet.confinement:
        yield f"  sandbox   {sheet.confinement}"
    for package in sheet.packages:
        yield f"  package   {package}"
    for server in sheet.servers:
        given = f" with {', '.join(server.environment)}" if server.environment else ""
        yield f"  MCP       {server.id}: {server.runs}{given}"
        yield f"            {server.held}; its tools ask first until you trust it"
    for key in sheet.keys:
        yield _key_line(key)
    for name in sheet.variables:
        yield f"  variable  {name} is set on this computer; the bundle gets it only if you allow it"
    for name in sheet.keys_stored:
        yield f"  stored    the key {name} is already stored; the bundle gets it only if you allow it"


def _key_line(key: SheetKey) -> str:
    kind = "secret" if key.secret else "setting"
    need = "required" if key.required else "optional"
    if key.required and key.unless:
        need += f" unless {' or '.join(key.unless)} is set"
    if key.env:
        need += f"; also from the variable {key.env}"
    return f"  {kind:<9} {key.name} ({need}){' – ' + key.description if key.description else ''}"


def _changes(changes: UpgradeDiff) -> Iterator[str]:
    if changes.same_version:
        yield "  note      the version is the same, but the content is different"
    if changes.tools_removed:
        yield f"  removed   tools {_listed(changes.tools_removed)}"
    for change in changes.tools_changed:
        yield f"  changed   {change.tool}: {', '.join(change.fields)}"
    for name, _, after in changes.permissions:
        yield f"  {'gains' if after else 'gives up':<9} the permission {name}"
    for what, names in (
        ("packages", changes.packages_removed),
        ("MCP servers", changes.mcp_removed),
        ("keys", changes.config_removed),
    ):
        if names:
            yield f"  removed   {what} {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(_plain(name) for name in names)


def _plain(text: str) -> str:
    return visible(text)
