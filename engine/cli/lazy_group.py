"""Groups of commands, listed in a given order. A `LazyGroup` imports each command only when it is used."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup", "OrderedGroup"]

_LONGEST = 200


class OrderedGroup(click.Group):
    """A group that lists its commands in the order in which they were added, with the first sentence of their help."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names of the commands."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands. Click would cut sentences that are longer than a line."""
        rows = [(name, command.get_short_help_str(_LONGEST)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyGroup(OrderedGroup):
    """A group that imports the module of a command when the command is used, so a command does not load the modules of
    others.

    `places` lists the commands: name → `module:attribute`, and the first sentence of the help. Until a command is used,
    an empty command with this sentence takes its place, which is enough for the group's help, for completion and for
    suggestions.
    """

    def __init__(self, name: str | None = None, *, places: Mapping[str, tuple[str, str]], **how: Any) -> None:
        super().__init__(name, **how)
        self.commands = {called: click.Command(called, help=told) for called, (_, told) in places.items()}
        self._places = {called: place for called, (place, _) in places.items()}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of the used command, the command, and the other arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            module, attribute = self._places[name].split(":")
            command = getattr(importlib.import_module(module), attribute)
        return name, command, rest
