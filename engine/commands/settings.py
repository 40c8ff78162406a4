"""Commands about settings."""

from engine.commands.base import Command
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["ChangeSetting"]


@dataclass(frozen=True, slots=True)
class ChangeSetting(Command[None]):
    """Change a setting; None restores its default."""

    name: str
    value: JSON
