"""Commands about settings."""

from dataclasses import dataclass

from engine.commands.base import Command
from events.canonical import JSON

__all__ = ["ChangeSetting"]


@dataclass(frozen=True, slots=True)
class ChangeSetting(Command[None]):
    """Change a setting; None restores its default."""

    name: str
    value: JSON
