"""The settings of the installation: read once, and changed by one command."""

from collections.abc import Callable, Mapping
from threading import Lock

from engine.command_handlers.providers import Providers
from engine.commands.catalog import ChangeSetting
from engine.config import Settings
from engine.deciders.settings import check_setting
from engine.tools.toolbox import ReadModels
from events.catalog.settings import SettingChanged
from events.log import Append

__all__ = ["SettingCommands"]


class SettingCommands:
    """Handles them. Only this process writes to the log, so what was read holds until the next change."""

    def __init__(
        self, read: ReadModels, append: Callable[[Append], object], environ: Mapping[str, str]
    ) -> None:
        self._read = read
        self._append = append
        self._environ = environ
        self._lock = Lock()
        self._known: Settings | None = None
        self.providers: Providers | None = None
        """Checks models and addresses, once it is there."""

    def current(self) -> Settings:
        """Return the settings as they are now."""
        with self._lock:
            if self._known is None:
                values = {row["name"]: row["value"] for row in self._read("settings")}
                self._known = Settings(values, self._environ)
            return self._known

    def change(self, command: ChangeSetting) -> None:
        """See `ChangeSetting`."""
        check_setting(command.name, command.value)
        providers = self.providers
        if providers is not None and command.name == "model" and isinstance(command.value, str):
            providers.models.resolve(command.value)
        if providers is not None and command.name == "base_urls" and isinstance(command.value, dict):
            providers.check_addresses(command.value)
        with self._lock:
            self._append(Append("settings", [SettingChanged(name=command.name, value=command.value)]))
            self._known = None
        if providers is not None and command.name == "base_urls":
            providers.models.look_again()
