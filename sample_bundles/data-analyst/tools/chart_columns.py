"""The columns of a chart's rows: their kinds, the order of their values, and suggestions for misspelled names."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from anabranch_tool import ToolError

__all__ = ["Column", "columns_of", "find", "quote"]

Kind = Literal["number", "time", "text", "flag", "other"]

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|REAL|DECIMAL(\(.*\))?")
_TEXT = re.compile(r"VARCHAR|UUID|TIME|ENUM\b.*", re.DOTALL)
_UNSAFE = re.compile(r"[.\[\]\\\"'$]+")


@dataclass(frozen=True, slots=True)
class Column:
    """A column that can be drawn."""

    name: str
    """The name in the SQL."""
    type: str
    field: str
    """The name in the drawn rows: without the characters that have a meaning in a Vega-Lite field."""
    title: str
    kind: Kind


def columns_of(described: Iterable[dict[str, str]]) -> list[Column]:
    """Return the columns of a result, each with a unique field name."""
    taken: set[str] = set()
    found = []
    for item in described:
        name = item["name"]
        field = _UNSAFE.sub(" ", name).strip() or "column"
        while field.lower() in taken or field.lower() == "image":
            field += "_"
        taken.add(field.lower())
        title = name.replace("_", " ").replace("\\", "").replace('"', "”").strip() or field
        found.append(
            Column(name, item["type"], field, f"{title} " if title == "image" else title, _kind(item["type"]))
        )
    return found


def _kind(type_: str) -> Kind:
    if _NUMBER.fullmatch(type_):
        return "number"
    if type_ == "DATE" or type_.startswith("TIMESTAMP"):
        return "time"
    if type_ == "BOOLEAN":
        return "flag"
    return "text" if _TEXT.fullmatch(type_) and not type_.endswith("]") else "other"


def find(columns: Sequence[Column], name: str | None, where: str) -> Column | None:
    """Return the column called `name`; None if no name is given. `where` is the argument that names it, for error
    messages.

    Raises:
        ToolError: there is no such column, or it contains lists or structs.
    """
    if not name:
        return None
    found = next((c for c in columns if c.name == name), None)
    found = found or next((c for c in columns if c.name.lower() == name.lower()), None)
    if found is None:
        raise ToolError(no_column(columns, name, where))
    if found.kind == "other":
        raise ToolError(
            f"{where}: “{found.name}” is of type {found.type}, which an axis cannot show. "
            "Take one value out of it in the SQL, for instance with unnest, epoch or a field's name."
        )
    return found


def no_column(columns: Sequence[Column], name: str, where: str) -> str:
    """Return the error message for a column that does not exist, with the most similar names."""
    names = [c.name for c in columns]
    by_lower = {n.lower(): n for n in names}
    near = [by_lower[n] for n in difflib.get_close_matches(name.lower(), by_lower, 3, 0.5)]
    hint = f" Did you mean {' or '.join(f'“{n}”' for n in near)}?" if near else ""
    return f"{where}: the result has no column “{name}”.{hint} Its columns are: {', '.join(names)}."


def quote(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
