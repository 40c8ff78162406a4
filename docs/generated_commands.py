"""Makes the generated parts about commands, queries, errors and settings."""

import inspect

from docs.source import fields_of, sentences, summary
from docs.tables import as_code, table_of
from engine.app.queries import catalog as query_page
from engine.commands import catalog as command_page
from engine.commands.catalog import Command
from engine.config import SETTINGS

__all__ = ["commands", "queries", "refusals", "settings_table"]


def commands() -> str:
    """Return every command with its fields, and the classes of the fields' values."""
    own = [
        thing
        for thing in vars(command_page).values()
        if inspect.isclass(thing) and issubclass(thing, Command)
    ]
    own.remove(Command)
    others = [getattr(command_page, name) for name in command_page.__all__]
    values = [thing for thing in others if inspect.isclass(thing) and thing not in own]
    return "\n\n".join(_dataclass(cls) for cls in [*own, *values])


def queries() -> str:
    """Return every query with its fields, and the values that queries return."""
    named = (getattr(query_page, name) for name in query_page.__all__)
    classes = [thing for thing in named if inspect.isclass(thing)]
    return "\n\n".join(_dataclass(cls, "###") for cls in sorted(classes, key=lambda cls: cls.__name__))


def _dataclass(cls: type, head: str = "##") -> str:
    rows = [(f"`{f.name}`", as_code(f.annotation), as_code(f.default), f.doc) for f in fields_of(cls)]
    table = table_of(("field", "type", "default", "meaning"), rows) if rows else "No fields."
    return f"{head} {cls.__name__}\n\n{summary(cls)}\n\n{table}"


def refusals() -> str:
    """Return the stable codes of errors, with their messages."""
    return table_of(("code", "message"), [(f"`{s.code}`", s.text) for s in sentences("engine", raised=True)])


def settings_table() -> str:
    """Return a table of the settings that are recorded in the log."""
    rows = [
        (
            f"`{s.name}`",
            type(s.default).__name__,
            f"`{s.default!r}`" if s.default != "" else "empty",
            s.description,
        )
        for s in SETTINGS
    ]
    return table_of(("setting", "type", "default", "meaning"), rows)
