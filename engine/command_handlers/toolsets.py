"""Handles commands about toolsets: install with consent, enable, configure, export, uninstall."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from engine.command_handlers.handovers import Handovers
from engine.command_handlers.live_folders import LiveFolders
from engine.command_handlers.packages import add_packages
from engine.command_handlers.rendering import RenderingCommands
from engine.command_handlers.restoring import Restoring
from engine.command_handlers.servers import ServerCommands
from engine.command_handlers.shipped_toolsets import ShippedToolsets
from engine.command_handlers.staging_cleanup import discarded_on_failure
from engine.command_handlers.toolset_streams import ToolsetStreams
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
from engine.config import SHIPPED
from engine.deciders import toolset as decide
from engine.errors import Refused
from engine.runtime.protocol import Confinement
from engine.secrets.secret_names import toolset_secret, variable_of
from engine.secrets.vault import Vault
from engine.tools.tool import BUILTIN
from engine.tools.toolbox import ReadModels, Toolbox
from engine.toolsets.configuration import Configuration, keep_secrets, sorted_changes
from engine.toolsets.export import export_toolset, stored_contents
from engine.toolsets.install import (
    InstalledVersion,
    StagedBundle,
    discard,
    outcome,
    settle,
    stage,
)
from engine.toolsets.redact import with_references
from engine.toolsets.sheet import CapabilitySheet, capability_sheet
from engine.toolsets.upgrade import upgrade_diff
from events.catalog.toolset import (
    StoredFile,
    ToolsetConfigured,
)
from events.event import Event
from events.late_dataclass import dataclass
from events.log import EventLog

__all__ = ["Preview", "ToolsetCommands"]


@dataclass(frozen=True, slots=True)
class Preview:
    """The capabilities that the user is asked to agree to."""

    sheet: CapabilitySheet
    content_hash: str
    outcome: Outcome


class ToolsetCommands:
    """Handles the commands about toolsets, one at a time, so that a decision is still valid when its events are
    appended.
    """

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
        """`held` returns how well this system can confine tool processes; `ships` lists the bundles to install on the
        first run."""
        self._held = held
        self._toolbox = toolbox
        self._data = data
        self._vault = vault
        self._root = data / "toolsets"
        self.servers = servers
        self._lock = servers.lock
        self._handovers = Handovers(toolbox, vault)
        servers.forget = toolbox.forget
        self._streams = ToolsetStreams(log, read, toolbox, servers)
        self._shipped = ShippedToolsets(
            log=log,
            read=read,
            data=data,
            ships=ships,
            handovers=self._handovers,
            streams=self._streams,
            commit=lambda staged: self._commit(staged, "ships"),
        )
        self.copies = Restoring(read, toolbox, data, servers.lock)
        self.rendering = RenderingCommands(log, toolbox, servers.lock)
        self.folders = LiveFolders(toolbox, data, servers.lock, self._follow_folder, self._streams.is_named)
        toolbox.follow(self.folders)

    def preview(self, source: Path | bytes, source_ref: str | None = None) -> Preview:
        """Check a bundle and return its consent sheet; nothing is stored, and none of its code runs."""
        with self._lock:
            return self._preview(source, source_ref)

    def _preview(self, source: Path | bytes, source_ref: str | None) -> Preview:
        staged = self._stage(source, source_ref)
        try:
            handover = self._handovers.of(staged)
            installed = self._streams.manifest(staged.manifest.id)
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
            return Preview(
                sheet, staged.content_hash, _outcome(staged, self._streams.known(staged.manifest.id))
            )
        finally:
            discard(staged)

    def install(self, command: InstallToolset) -> Installed:
        """See `InstallToolset`. Validates the bundle, stores it by hash, and appends one batch of events. If this
        fails, nothing is left behind.
        """
        with self._lock:
            staged = self._staged(command)
        with discarded_on_failure(staged, self._streams.is_named):
            add_packages(self._data, staged, command.progress)
            with self._lock:
                consent: Literal["yes", "sheet"] = "yes" if command.consent == "yes" else "sheet"
                self._handovers.bind_loose(staged.manifest.id)
                agreed = [*self._handovers.forgotten(staged), *self._handovers.agreed(staged, command)]
                done = self._commit(staged, consent, command.servers, agreed)
                self._handovers.keep(staged, command.keep_keys)
                return done

    def _stage(self, source: Path | bytes, source_ref: str | None) -> StagedBundle:
        """Store a bundle's files. For a folder, `source_ref` is ignored and the folder's path is recorded instead."""
        is_folder = isinstance(source, Path) and source.is_dir()
        fetched = not is_folder and (source_ref or "").startswith(("https://", "http://"))
        kind: Literal["url"] | None = "url" if fetched else None
        return stage(source, self._root, source_type=kind, source_ref=None if is_folder else source_ref)

    def _staged(self, command: InstallToolset) -> StagedBundle:
        """Store the bundle's files, and make sure that they are the files that the user agreed to."""
        staged = self._stage(command.source, command.source_ref)
        with discarded_on_failure(staged, self._streams.is_named):
            if command.agreed_hash not in (None, staged.content_hash):
                raise Refused(
                    "bundle_changed",
                    f"{staged.manifest.id} has changed since its consent sheet was shown. Read the new sheet.",
                )
        return staged

    def _commit(
        self,
        staged: StagedBundle,
        consent: Literal["sheet", "yes", "ships", "folder"],
        servers: Sequence[str] | None = None,
        agreed: Sequence[Event] = (),
    ) -> Installed:
        """Append the events of an installation and the events in `agreed`, if there is anything to install."""
        manifest = with_references(staged.manifest, self._secrets())
        decided_on = self._streams.version(manifest.id)
        known = self._streams.known(manifest.id)
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
        self._streams.append(manifest.id, decided_on, [*events, *agreed] if events else [], more)
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
        """Return the values of a toolset's keys with their sources.

        Raises:
            NotFound: the toolset is not installed.
        """
        found = self._toolbox.configuration(toolset_id)
        if found is None:
            decide.require_installed(None, toolset_id)
        assert found is not None
        return found

    def configure(self, command: ConfigureToolset) -> None:
        """See `ConfigureToolset`. Secrets are stored first, so that the log never names a secret that is not set."""
        decide.require_bundle(command.toolset_id)
        with self._lock:
            decided_on = self._streams.version(command.toolset_id)
            before = self.configuration(command.toolset_id)
            changes = sorted_changes(before.manifest, command.values, self._vault)
            allowed = self._handovers.configured(command)
            kept = keep_secrets(before.manifest, changes, self._vault, before.publisher)
            after = before.changed(changes)
            events: list[Event] = list(allowed)
            if kept or after.values != before.values:
                events.append(ToolsetConfigured(values=dict(after.values), secret_names=after.kept_secrets()))
            self._streams.append(command.toolset_id, decided_on, events)

    def uninstall(self, command: UninstallToolset) -> None:
        """See `UninstallToolset`. Secrets are deleted so that a different bundle with the same id cannot use them."""
        decide.require_bundle(command.toolset_id)
        with self._lock:
            decided_on = self._streams.version(command.toolset_id)
            decide.require_installed(self._streams.known(command.toolset_id), command.toolset_id)
            servers = self.servers.declared(command.toolset_id, None)
            self._streams.append(command.toolset_id, decided_on, decide.uninstall(), servers)
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
        """Return the toolset as a ZIP, which has the same bytes each time."""
        decide.require_installed(self._streams.known(toolset_id), toolset_id)
        manifest = self._streams.manifest(toolset_id)
        assert manifest is not None
        files = self.copies.files(toolset_id)
        return export_toolset(manifest, stored_contents(self._data, files), self._secrets())

    def first_run(self) -> None:
        """Install the shipped toolsets (see `ShippedToolsets`), then copy stored files that have no copy yet."""
        self._shipped.install()
        self.copies.catch_up()

    def _secrets(self) -> dict[str, str]:
        return {variable_of(name): value for name, value in self._vault.values().items()}

    def _change(self, toolset_id: str, decision: Callable[[decide.Known], Sequence[Event]]) -> None:
        with self._lock:
            decided_on = self._streams.version(toolset_id)
            known = decide.require_installed(self._streams.known(toolset_id), toolset_id)
            self._streams.append(toolset_id, decided_on, decision(known))


def _outcome(staged: StagedBundle, known: decide.Known | None) -> Outcome:
    installed = InstalledVersion(known.toolset_id, known.version, known.content_hash) if known else None
    return outcome(installed, staged)
