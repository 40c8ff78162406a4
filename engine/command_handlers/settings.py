"""Reads the settings of the installation, which are cached until they change, and handles the command to change one."""

from collections.abc import Mapping
from threading import Lock

from engine.chats.conflicts import add_to_stream
from engine.command_handlers.providers import Providers
from engine.commands.catalog import ChangeSetting
from engine.config import Settings
from engine.deciders.settings import check_setting
from engine.tools.toolbox import ReadModels
from events.catalog.settings import SettingChanged
from events.log import EventLog

__all__ = ["SETTINGS", "SettingCommands"]

SETTINGS = "settings"
"""The stream of the settings."""


class SettingCommands:
    """Handles the command about settings. Settings are cached until the observer of the log calls `forget`."""

    def __init__(self, read: ReadModels, log: EventLog, environ: Mapping[str, str]) -> None:
        self._read = read
        self._log = log
        self._environ = environ
        self._lock = Lock()
        self._changes = 0
        self._known: tuple[int, Settings] | None = None
        self.providers: Providers | None = None
        """Checks models and addresses. It is set after construction, because `Providers` itself reads the settings."""

    def current(self) -> Settings:
        """Return the current settings."""
        known = self._known
        if known is None or known[0] != self._changes:
            with self._lock:
                changes = self._changes
                values = {row["name"]: row["value"] for row in self._read("settings")}
                known = self._known = (changes, Settings(values, self._environ))
        return known[1]

    def forget(self) -> None:
        """Drop the cached settings. This must not block, because the caller holds the log's lock."""
        self._changes += 1

    def change(self, command: ChangeSetting) -> None:
        """See `ChangeSetting`."""
        check_setting(command.name, command.value)
        providers = self.providers
        if providers is not None and command.name == "model" and isinstance(command.value, str):
            providers.models.resolve(command.value)
        if providers is not None and command.name == "base_urls" and isinstance(command.value, dict):
            providers.check_addresses(command.value)
        changed = SettingChanged(name=command.name, value=command.value)
        add_to_stream(self._log, SETTINGS, [changed])
        if providers is not None and command.name == "base_urls":
            providers.models.look_again()
