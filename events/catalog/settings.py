"""The user's settings. Stream `settings`."""

from typing import Literal

from events.event import Event
from events.json_value import JSON

__all__ = ["SettingChanged"]


class SettingChanged(Event):
    """A setting was changed; null restores its default."""

    type: Literal["SettingChanged"] = "SettingChanged"
    name: str
    value: JSON
