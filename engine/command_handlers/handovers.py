"""Decides which stored keys and environment variables a bundle receives. Each key and variable is bound to the bundle's
source.
"""

from collections.abc import Sequence

from engine.commands.catalog import ConfigureToolset, InstallToolset
from engine.secrets.secret_names import toolset_secret
from engine.secrets.vault import Vault
from engine.tools.toolbox import Toolbox, ToolsetRow
from engine.toolsets.handover import Handover, another_source, check_agreed, keepable
from engine.toolsets.install import StagedBundle
from engine.toolsets.references import wanted_variables
from engine.toolsets.source import UNKNOWN, source_of
from events.catalog.toolset import ToolsetConfigured, ToolsetVariablesAllowed
from events.event import Event

__all__ = ["Handovers"]


class Handovers:
    """Decides which keys and variables are handed over, before and after a toolset's events are appended. The appending
    thread must hold the lock."""

    def __init__(self, toolbox: Toolbox, vault: Vault) -> None:
        self._toolbox = toolbox
        self._vault = vault

    def of(self, staged: StagedBundle) -> Handover:
        """Return the keys and variables that a staged bundle would receive once the user agrees."""
        manifest = staged.manifest
        row = self._toolbox.toolset(manifest.id)
        installed, source = _source(row), _staged_source(staged)
        stored = self._stored(manifest.id, installed)
        secrets = [key.name for key in manifest.config if key.secret]
        agreed = self._allowed(row) if installed == source else ()
        kept = keepable(installed, source)
        return Handover(
            installed not in (None, source) and not kept,
            another_source(row["name"] if row else manifest.id, installed, source, stored),
            tuple(name for name in secrets if name in stored) if kept else (),
            tuple(name for name in wanted_variables(manifest) if name not in agreed and self._is_here(name)),
        )

    def agreed(self, staged: StagedBundle, command: InstallToolset) -> list[Event]:
        """Return the events that record the user's agreement, to be appended with the bundle's own event.

        Raises:
            Refused: the agreement names a key or variable that the bundle does not want or may not have.
        """
        wanted = wanted_variables(staged.manifest)
        check_agreed(self.of(staged), command.keep_keys, command.variables, wanted)
        row = self._toolbox.toolset(staged.manifest.id)
        source = _staged_source(staged)
        before = self._allowed(row) if _source(row) == source else ()
        if set(command.variables) <= set(before):
            return []
        named = {*before, *command.variables}
        return [ToolsetVariablesAllowed(variables=tuple(v for v in wanted if v in named), source=source)]

    def forgotten(self, staged: StagedBundle) -> list[Event]:
        """Return an event that clears the installed toolset's settings, if the staged bundle is a different toolset
        with the same id; otherwise no event.
        """
        row = self._toolbox.toolset(staged.manifest.id)
        installed, source = _source(row), _staged_source(staged)
        if row is None or installed == source or keepable(installed, source) or not row["configuration"]:
            return []
        return [ToolsetConfigured(values={})]

    def configured(self, command: ConfigureToolset) -> list[Event]:
        """Return the event that records which variables the user gives to an installed toolset; no event if unchanged.

        Raises:
            Refused: the toolset does not want one of the variables (`variable_not_wanted`).
        """
        row = self._toolbox.toolset(command.toolset_id)
        source = _source(row)
        if command.variables is None or row is None or source is None:
            return []
        found = self._toolbox.configuration(command.toolset_id)
        assert found is not None
        wanted = wanted_variables(found.manifest)
        check_agreed(Handover(), (), command.variables, wanted)
        named = tuple(name for name in wanted if name in command.variables)
        if set(named) == found.allowed:
            return []
        return [ToolsetVariablesAllowed(variables=named, source=source)]

    def bind_loose(self, toolset_id: str, otherwise: str = UNKNOWN) -> None:
        """Bind a toolset's keys that have no source because an older release stored them. They are bound to the source
        of the installed toolset, or to `otherwise` if it is not installed.
        """
        loose = [name for name in self._names(toolset_id) if self._vault.source(name) is None]
        if loose:
            self._vault.bind(loose, _source(self._toolbox.toolset(toolset_id)) or otherwise)

    def bind_all_loose(self) -> None:
        """Bind the keys that have no source because an older release stored them, for all installed toolsets."""
        if any(self._vault.source(name) is None for name in self._vault.names()):
            for row in self._toolbox.toolsets():
                self.bind_loose(row["id"])

    def keep(self, staged: StagedBundle, keys: Sequence[str]) -> None:
        """Allow a bundle to use these stored keys from now on."""
        names = [toolset_secret(staged.manifest.id, key) for key in keys]
        self._vault.bind(names, _staged_source(staged))

    def _stored(self, toolset_id: str, source: str | None) -> tuple[str, ...]:
        """Return the names of the keys that are stored for a toolset's id and bound to `source` or to no source."""
        names = [name for name in self._names(toolset_id) if self._vault.source(name) in (None, source)]
        return tuple(name.rpartition("/")[2] for name in names)

    def _names(self, toolset_id: str) -> list[str]:
        return [name for name in self._vault.names() if name.startswith(toolset_secret(toolset_id, ""))]

    def _allowed(self, row: ToolsetRow | None) -> Sequence[str]:
        found = self._toolbox.configuration(row["id"]) if row else None
        return tuple(found.allowed) if found else ()

    def _is_here(self, variable: str) -> bool:
        return self._vault.on_host(variable, (variable,)) is not None


def _source(row: ToolsetRow | None) -> str | None:
    return source_of(row["source_type"], row["source_ref"], row["content_hash"]) if row else None


def _staged_source(staged: StagedBundle) -> str:
    return source_of(staged.source_type, staged.source_ref, staged.content_hash)
