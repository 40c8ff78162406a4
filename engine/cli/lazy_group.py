"""Groups of commands that list them in a given order; one of them imports commands only when they are used."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup", "OrderedGroup"]


class OrderedGroup(click.Group):
    """A group that lists its commands in the order in which they were added, instead of by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names of the commands."""
        return list(self.commands)


class LazyGroup(click.Group):
    """A group that finds its commands in `places`: name of a command → `module:attribute`.

    The commands are listed in this order. Looking up a command imports its module, so each command loads only its own.
    """

    def __init__(self, name: str | None = None, *, places: Mapping[str, str], **how: Any) -> None:
        super().__init__(name, **how)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names of the commands without importing them."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of a command and return the command, or None if there is no such command."""
        if cmd_name not in self._places:
            return None
        module, attribute = self._places[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """See `click.Group`. Unknown names are compared with `places`, to suggest a similar one."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as unknown:
            raise click.NoSuchCommand(unknown.command_name, possibilities=self._places, ctx=ctx) from None
