"""Selects the notes about lost values that concern an SQL text, by the tables and columns that it names."""

import re
from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["notes_for"]

_QUIET = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_NAMES = re.compile(r'"((?:[^"]|"")+)"|(\w+)')
_ALL = re.compile(
    r"(?i)(\bselect\s+(distinct\s+)?|,\s*|\.\s*|columns\s*\(\s*)\*|\b(summarize|describe|pivot|unpivot)\b|^\W*from\b"
)


class _Table(Protocol):
    @property
    def losses(self) -> tuple[str, ...]: ...

    @property
    def columns(self) -> tuple[Mapping[str, Any], ...]: ...


class _Opened(Protocol):
    @property
    def files(self) -> Mapping[str, _Table]: ...


def notes_for(opened: _Opened, sql: str) -> list[str]:
    """Return the sentences about rows and values that are missing in the tables and columns that `sql` uses.

    A star in the SQL means all columns. Sentences about other columns, and about assumptions that lost no value, are
    left out.
    """
    words = _QUIET.sub(" ", sql)
    names = {(quoted.replace('""', '"') or bare).lower() for quoted, bare in _NAMES.findall(words)}
    everything = _ALL.search(words) is not None
    said: list[str] = []
    for name, table in opened.files.items():
        if not names.issuperset(name.lower().split(".")):  # `orders`, or `before_cleaning.orders`
            continue
        said += table.losses
        for column in table.columns:
            if column["loss"] and (everything or str(column["name"]).lower() in names):
                said.append(column["loss"])
    return list(dict.fromkeys(said))
