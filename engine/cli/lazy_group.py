"""A group of commands whose modules are imported on demand, so that each command loads only its own module."""

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

__all__ = ["LazyGroup"]


class LazyGroup(TyperGroup):
    """A group that finds its commands in `places`."""

    places: ClassVar[Mapping[str, str]] = {}
    """Name of a command → `module:attribute`, where the attribute is a function or a Typer program."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.commands = _Commands(self.places)


class _Commands(dict[str, Any]):
    """The commands by name, in the order of `places`. Looking up a command imports it; listing them does not."""

    def __init__(self, places: Mapping[str, str]) -> None:
        super().__init__(dict.fromkeys(places))
        self._places = places

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            module, attribute = self._places[name].split(":")
            self[name] = _command(name, getattr(importlib.import_module(module), attribute))
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


def _command(name: str, made: Any) -> Any:
    """Return the command that runs a function or a Typer program under `name`."""
    if isinstance(made, typer.Typer):
        group = typer.main.get_group(made)
        group.name = name
        return group
    of_one = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    of_one.command(name)(made)
    return typer.main.get_command(of_one)
