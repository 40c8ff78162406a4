"""Commands on toolsets: install with consent, switch, export, uninstall; and the first run's bundles."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from engine.chats.open_chats import stream_of
from engine.command_handlers.handovers import Handovers
from engine.command_handlers.live_folders import LiveFolders
from engine.command_handlers.packages import add_packages, sweep_packages
from engine.command_handlers.rendering import RenderingCommands
from engine.command_handlers.restoring import Restoring
from engine.command_handlers.servers import ServerCommands
from engine.command_handlers.staging_cleanup import discarded_on_failure
from engine.commands.catalog import (
    ConfigureToolset,
    DisableTool,
    DisableToolset,
    EnableTool,
    EnableToolset,
    Installed,
    InstallToolset,
    Outcome,
    UninstallToolset,
)
from engine.config import SHIPPED, shipped_bundles
from engine.deciders import toolset as decide
from engine.errors import AnabranchError, Refused
from engine.runtime.protocol import Confinement
from engine.secrets.vault import Vault, toolset_secret, variable_of
from engine.tools.builtin import BUILTIN_TOOLS
from engine.tools.tool import BUILTIN
from engine.tools.toolbox import ReadModels, Toolbox
from engine.toolsets.archive import open_bundle
from engine.toolsets.configuration import Configuration, keep_secrets, sorted_changes
from engine.toolsets.export import export_toolset, stored_contents
from engine.toolsets.install import (
    InstalledVersion,
    StagedBundle,
    discard,
    outcome,
    settle,
    stage,
    stored_versions,
    sweep_staging,
    sweep_versions,
)
from engine.toolsets.manifest import Manifest
from engine.toolsets.redact import with_references
from engine.toolsets.sheet import CapabilitySheet, capability_sheet
from engine.toolsets.source import SHIPS, source_of
from engine.toolsets.upgrade import upgrade_diff
from events.canonical import JSON, canonical_json
from events.catalog.chat import ToolsAdded
from events.catalog.toolset import (
    BuiltinToolsRegistered,
    StoredFile,
    ToolsetConfigured,
    ToolsetInstalled,
    ToolsetUpgraded,
)
from events.event import Event
from events.log import Append, EventLog

__all__ = ["Preview", "ToolsetCommands"]

_ANALYST = "data-analyst"
"""The toolset without which nothing can be asked: its new tools are offered in old chats too."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the user is asked to agree to."""

    sheet: CapabilitySheet
    content_hash: str
    outcome: Outcome


class ToolsetCommands:
    """Handles them, one after another: what is decided on stays so until it is appended."""

    def __init__(
        self,
        *,
        log: EventLog,
        read: ReadModels,
        toolbox: Toolbox,
        data: Path,
        vault: Vault,
        held: Callable[[], Confinement | None],
        servers: ServerCommands,
        ships: Sequence[str] = SHIPPED,
    ) -> None:
        """`held` tells how far this system holds tool processes; `ships` are the bundles of the first run."""
        self._log = log
        self._held = held
        self._read = read
        self._toolbox = toolbox
        self._data = data
        self._vault = vault
        self._root = data / "toolsets"
        self._ships = ships
        self.servers = servers
        self._lock = servers.lock
        self._handovers = Handovers(toolbox, vault)
        servers.forget = toolbox.forget
        self.copies = Restoring(read, toolbox, data, servers.lock)
        self.rendering = RenderingCommands(log, toolbox, servers.lock)
        self.folders = LiveFolders(toolbox, data, servers.lock, self._follow_folder)
        toolbox.follow(self.folders)

    def preview(self, source: Path | bytes, source_ref: str | None = None) -> Preview:
        """Check a bundle and return its capability sheet; nothing is kept and nothing of it runs."""
        with self._lock:
            return self._preview(source, source_ref)

    def _preview(self, source: Path | bytes, source_ref: str | None) -> Preview:
        staged = self._stage(source, source_ref)
        try:
            handover = self._handovers.of(staged)
            installed = self._installed_manifest(staged.manifest.id)
            held = self._held()
            sheet = replace(
                capability_sheet(
                    staged, None if handover.replaces else installed, held.level if held else None
                ),
                upgrade=upgrade_diff(installed, staged.manifest) if installed else None,
                another=handover.another,
                keys_stored=handover.keys_stored,
                variables=handover.variables,
            )
            return Preview(sheet, staged.content_hash, _outcome(staged, self._known(staged.manifest.id)))
        finally:
            discard(staged)

    def install(self, command: InstallToolset) -> Installed:
        """See `InstallToolset`: validated, stored by hash, then one batch of events; a failure leaves nothing."""
        with self._lock:
            staged = self._staged(command)
        with discarded_on_failure(staged):
            add_packages(self._data, staged, command.progress)
            with self._lock:
                consent: Literal["yes", "sheet"] = "yes" if command.consent == "yes" else "sheet"
                self._handovers.bind_loose(staged.manifest.id)
                agreed = [*self._handovers.forgotten(staged), *self._handovers.agreed(staged, command)]
                done = self._commit(staged, consent, command.servers, agreed)
                self._handovers.keep(staged, command.keep_keys)
                return done

    def _stage(self, source: Path | bytes, source_ref: str | None) -> StagedBundle:
        """Store a bundle's files. A folder's own path is its reference, whatever the caller says."""
        is_folder = isinstance(source, Path) and source.is_dir()
        fetched = not is_folder and (source_ref or "").startswith(("https://", "http://"))
        kind: Literal["url"] | None = "url" if fetched else None
        return stage(source, self._root, source_type=kind, source_ref=None if is_folder else source_ref)

    def _staged(self, command: InstallToolset) -> StagedBundle:
        """The bundle's files, stored; they are what the user agreed to."""
        staged = self._stage(command.source, command.source_ref)
        with discarded_on_failure(staged):
            if command.agreed_hash not in (None, staged.content_hash):
                raise Refused(
                    "bundle_changed",
                    f"{staged.manifest.id} is not what the sheet showed: its content changed since. Look at it again.",
                )
        return staged

    def _commit(
        self,
        staged: StagedBundle,
        consent: Literal["sheet", "yes", "ships", "folder"],
        servers: Sequence[str] | None = None,
        agreed: Sequence[Event] = (),
    ) -> Installed:
        """Append what installing means, and with it what was `agreed`, where there is anything to install."""
        manifest = with_references(staged.manifest, self._secrets())
        known = self._known(manifest.id)
        bundle = decide.Bundle(
            name=manifest.name,
            version=manifest.version,
            description=manifest.description,
            manifest_version=manifest.manifest_version,
            content_hash=staged.content_hash,
            source_type=staged.source_type,
            source_ref=staged.source_ref,
            manifest=manifest.to_json(),
            files=tuple(
                StoredFile(path=f.path, kind=f.kind, sha256=f.sha256, size=f.size, stored_path=f.stored_path)
                for f in staged.files
            ),
            skill=staged.skill.to_json() if staged.skill else None,
        )
        events = decide.install(known, bundle, consent)
        more = self.servers.declared(manifest.id, manifest, servers) if events else []
        self.copies.keep(staged)
        self._append(manifest.id, [*events, *agreed] if events else [], more)
        settle(staged)
        return Installed(manifest.id, manifest.version, staged.content_hash, _outcome(staged, known))

    def _follow_folder(self, staged: StagedBundle) -> None:
        self._commit(staged, "folder")

    def enable(self, command: EnableToolset) -> None:
        """See `EnableToolset`."""
        decide.require_bundle(command.toolset_id)
        self._change(command.toolset_id, lambda known: decide.switch(known, on=True))

    def disable(self, command: DisableToolset) -> None:
        """See `DisableToolset`."""
        decide.require_bundle(command.toolset_id)
        self._change(command.toolset_id, lambda known: decide.switch(known, on=False))

    def configuration(self, toolset_id: str) -> Configuration:
        """Return what a toolset's keys are set to, and where.

        Raises:
            NotFound: it is not installed.
        """
        found = self._toolbox.configuration(toolset_id)
        if found is None:
            decide.require_installed(None, toolset_id)
        assert found is not None
        return found

    def configure(self, command: ConfigureToolset) -> None:
        """See `ConfigureToolset`. Secrets are kept first: cut off there, the log names none that is not set."""
        decide.require_bundle(command.toolset_id)
        with self._lock:
            before = self.configuration(command.toolset_id)
            changes = sorted_changes(before.manifest, command.values, self._vault)
            allowed = self._handovers.configured(command)
            kept = keep_secrets(before.manifest, changes, self._vault, before.publisher)
            after = before.changed(changes)
            events: list[Event] = list(allowed)
            if kept or after.values != before.values:
                events.append(ToolsetConfigured(values=dict(after.values), secret_names=after.kept_secrets()))
            self._append(command.toolset_id, events)

    def uninstall(self, command: UninstallToolset) -> None:
        """See `UninstallToolset`. Another bundle of the same id must not find this one's secrets."""
        decide.require_bundle(command.toolset_id)
        with self._lock:
            decide.require_installed(self._known(command.toolset_id), command.toolset_id)
            self._append(
                command.toolset_id, decide.uninstall(), self.servers.declared(command.toolset_id, None)
            )
        for name in self._vault.names():
            if name.startswith(toolset_secret(command.toolset_id, "")):
                self._vault.remove(name)

    def enable_tool(self, command: EnableTool) -> None:
        """See `EnableTool`."""
        self._switch_tool(command.tool_id, on=True)

    def disable_tool(self, command: DisableTool) -> None:
        """See `DisableTool`."""
        self._switch_tool(command.tool_id, on=False)

    def _switch_tool(self, tool_id: str, *, on: bool) -> None:
        home, _, tool = tool_id.rpartition(":")
        self._change(home or BUILTIN, lambda known: decide.switch_tool(known, tool, on=on))

    def export(self, toolset_id: str) -> bytes:
        """Return the toolset as a ZIP: the same bytes each time."""
        decide.require_installed(self._known(toolset_id), toolset_id)
        manifest = self._installed_manifest(toolset_id)
        assert manifest is not None
        files = self.copies.files(toolset_id)
        return export_toolset(manifest, stored_contents(self._data, files), self._secrets())

    def first_run(self) -> None:
        """Register the built-in tools of this release, and install the bundles that ship where none ever was."""
        sweep_staging(self._root)
        named = self._named_versions()
        sweep_versions(self._root, named)
        sweep_packages(self._data, named | stored_versions(self._root))
        stream = self._log.read_stream(f"toolset-{BUILTIN}")
        registered = [r.event.tools for r in stream if isinstance(r.event, BuiltinToolsRegistered)]
        if [canonical_json(tools) for tools in registered[-1:]] != [canonical_json(BUILTIN_TOOLS)]:
            self._append(BUILTIN, [BuiltinToolsRegistered(tools=list(BUILTIN_TOOLS))])
            if registered:
                self._add_to_chats(BUILTIN, _names(registered[-1]), _names(list(BUILTIN_TOOLS)))
        for toolset_id in self._ships:
            self._ship(toolset_id)
        for row in self._read("toolsets"):
            self._handovers.bind_loose(row["id"])
        self.copies.catch_up()

    def _named_versions(self) -> set[str]:
        """`<id>/<version>-<hash>` of every stored version that an event names."""
        ids = [folder.name for folder in self._root.glob("*") if folder.is_dir()]
        recorded = [r.event for toolset_id in ids for r in self._log.read_stream(f"toolset-{toolset_id}")]
        contents = [e for e in recorded if isinstance(e, (ToolsetInstalled, ToolsetUpgraded))]
        return {"/".join(Path(file.stored_path).parts[1:3]) for event in contents for file in event.files}

    def _ship(self, toolset_id: str) -> None:
        """Install a bundle that ships, or bring it to this release's.

        One that the user took away stays away, and one that the user put in its place stays in its place.
        """
        source = shipped_bundles() / toolset_id
        known = self._known(toolset_id)
        stream = self._log.read_stream(f"toolset-{toolset_id}")
        contents = [r.event for r in stream if isinstance(r.event, (ToolsetInstalled, ToolsetUpgraded))]
        if not source.is_dir() or (contents and (known is None or contents[-1].consent != "ships")):
            return
        with suppress(AnabranchError):
            if known is not None and self._stands(known, source):
                return
            staged = stage(source, self._root, source_ref=f"{SHIPS}{toolset_id}")
            with discarded_on_failure(staged):
                self._handovers.bind_loose(toolset_id, source_of("local", SHIPS, ""))
                self._commit(staged, "ships")
            if known is not None and toolset_id == _ANALYST:
                self._add_to_chats(toolset_id, known.tools, [tool.id for tool in staged.manifest.tools])

    def _add_to_chats(self, home: str, before: Collection[str], after: Sequence[str]) -> None:
        """Tick the tools that are new with this release in each chat that uses the same toolset already.

        In the order of the choices in those chats, so that the latest stays the one that a new chat begins with.
        """
        new = [name for name in after if name not in before]
        chats = [row for row in self._read("chats") if (row["selection"] or {}).get(home)] if new else []
        for chat in sorted(chats, key=lambda row: row["selection_position"]):
            ticked = chat["selection"][home]
            added = [name for name in new if name not in ticked]
            event = ToolsAdded(
                selection=chat["selection"] | {home: ticked + added},
                added=[name if home == BUILTIN else f"{home}:{name}" for name in added],
            )
            self._log.append(Append(stream_of(chat["chat_id"]), [event]))

    def _stands(self, known: decide.Known, source: Path) -> bool:
        """Whether that very content is installed and stored: most openings need to know no more."""
        with open_bundle(source) as files:
            stored = self._root / known.toolset_id / f"{known.version}-{files.content_hash[:12]}"
            return files.content_hash == known.content_hash and stored.is_dir()

    def _secrets(self) -> dict[str, str]:
        return {variable_of(name): value for name, value in self._vault.values().items()}

    def _known(self, toolset_id: str) -> decide.Known | None:
        if toolset_id != BUILTIN and self._log.stream_version(f"toolset-{toolset_id}") == 0:
            return None
        row = self._toolbox.toolset(toolset_id)
        if row is None and toolset_id != BUILTIN:
            return None
        if row is None:
            own = [tool for tool in self._read("tools") if tool["toolset_id"] is None]
            row = {"name": "Built-in", "version": "", "content_hash": "", "enabled": True, "tools": own}
        tools = {tool["tool_name"]: bool(tool["enabled"]) for tool in row["tools"]}
        return decide.Known(
            toolset_id, row["name"], row["version"], row["content_hash"], bool(row["enabled"]), tools
        )

    def _installed_manifest(self, toolset_id: str) -> Manifest | None:
        rows = [row for row in self._toolbox.toolsets() if row["id"] == toolset_id]
        return Manifest.from_json(rows[0]["manifest"]) if rows else None

    def _change(self, toolset_id: str, decision: Callable[[decide.Known], Sequence[Event]]) -> None:
        with self._lock:
            known = decide.require_installed(self._known(toolset_id), toolset_id)
            self._append(toolset_id, decision(known))

    def _append(self, toolset_id: str, events: Sequence[Event], more: Sequence[Append] = ()) -> None:
        """Append a toolset's events, and in the same batch those of the MCP servers that it declares."""
        if events:
            self._log.append(Append(f"toolset-{toolset_id}", events), *more)
            self._toolbox.forget()
            self.servers.follow(more)


def _outcome(staged: StagedBundle, known: decide.Known | None) -> Outcome:
    installed = InstalledVersion(known.toolset_id, known.version, known.content_hash) if known else None
    return outcome(installed, staged)


def _names(tools: JSON) -> list[str]:
    """The names of declared tools that a chat can tick: those that have code."""
    listed = tools if isinstance(tools, list) else []
    return [str(tool["id"]) for tool in listed if isinstance(tool, dict) and tool["entrypoint"]]
