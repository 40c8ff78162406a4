"""The data part of a request: the text about the date, tables, files and steps that Anabranch adds to the newest
message.

It contains only facts that are not already in earlier messages of the same request, so that each request begins with
the bytes of the previous request. Text from files is data, so it is put inside a fence that the text cannot close.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from hashlib import sha256

from engine.toolsets.lookalikes import visible_lines
from engine.turn.tables_text import tables_text, unread_text
from engine.workspace.table_facts import TableProfile
from events.canonical import canonical_json
from events.late_dataclass import dataclass

__all__ = ["LIMIT_REACHED", "DataPart", "Known", "data_part", "fenced", "read_data_part"]

_OPEN, _CLOSE = "<workspace>", "</workspace>"
_ENDS_FENCE = re.compile(r"<(?=\s*/?\s*workspace)", re.IGNORECASE)
_FILES = 40
_GONE = 40
_DESCRIPTION = 100
_FROM_CALL = "from a call"
"""Used in place of a digest for a file that a call wrote. The text does not mention such a file while it exists."""

LIMIT_REACHED = """\
You have used all steps of this question. Answer now from what you have, say what is missing, and call no tool."""


@dataclass(frozen=True, slots=True)
class Known:
    """The state of a chat's files at one moment, as far as a model should know it."""

    now: datetime
    tables: Sequence[TableProfile] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Path → the reason why the file could not be read as a table."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Path of any other file → the line about it."""
    from_calls: Collection[str] = ()
    """Paths of existing files that the results of calls describe."""
    moments: Mapping[str, str] = field(default_factory=dict)
    """Name of a moment → its description."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Name of a source → the lines about it."""


@dataclass(frozen=True, slots=True)
class DataPart:
    """The text added to a message, and everything that the model knows after reading it."""

    text: str
    items: Mapping[str, str]
    """Kind and name, such as `table:sales` → digest of the text about that item."""

    def stored(self) -> str:
        """Return the data part as `StepStarted.data` stores it."""
        return canonical_json({"items": dict(self.items), "text": self.text})


def read_data_part(stored: str) -> DataPart:
    """Return the data part that `DataPart.stored` wrote."""
    content = json.loads(stored)
    return DataPart(content["text"], content["items"])


def data_part(known: Known, before: Mapping[str, str], steps: Iterable[str] = ()) -> DataPart | None:
    """Return the addition to the newest message; None if there is nothing new.

    `before` contains the items of the last data part in the same request, and `steps` contains sentences about the
    remaining steps.
    """
    items = _items(known)
    new = {key for key, digest in items.items() if before.get(key) != digest and digest != _FROM_CALL}
    facts = _facts(known, new, before)
    gone = [key for key in before if key not in items and not _is_there(key, known)]
    if gone:
        facts.append(_gone(gone))
    parts = [fenced("\n".join(facts))] if facts else []
    parts += steps
    return DataPart("\n".join(parts), items) if parts else None


def fenced(text: str) -> str:
    """Put text from files into a fence that marks it as data. The text itself cannot close the fence."""
    return "\n".join([_OPEN, _ENDS_FENCE.sub("‹", visible_lines(text)), _CLOSE])


def _items(known: Known) -> dict[str, str]:
    items = {"date": f"{known.now:%Y-%m-%d}"}
    items |= {f"table:{table.name}": _digest(table.model_dump_json()) for table in known.tables}
    items |= {f"unread:{path}": _digest(why) for path, why in known.unread.items()}
    items |= {f"file:{path}": _FROM_CALL for path in known.from_calls}
    items |= {f"moment:{name}": _digest(text) for name, text in known.moments.items()}
    items |= {f"source:{name}": _digest(text) for name, text in known.sources.items()}
    return items | {f"file:{path}": _digest(line) for path, line in known.files.items()}


def _is_there(key: str, known: Known) -> bool:
    """Return whether the file that `key` names still exists but is now described in another way: as a table, as
    unreadable, or by a call.
    """
    kind, _, name = key.partition(":")
    if kind in ("table", "moment", "source"):
        return False
    return (
        name in known.from_calls or name in known.unread or any(table.path == name for table in known.tables)
    )


def _facts(known: Known, new: set[str], before: Mapping[str, str]) -> list[str]:
    facts = [f"Today is {known.now:%A, %d %B %Y}."] if "date" in new else []
    tables = [table for table in known.tables if f"table:{table.name}" in new]
    if tables:
        changed = any(f"table:{table.name}" in before for table in tables)
        first = not any(key.startswith("table:") for key in before)
        head = "Tables" if first else "New or changed tables" if changed else "New tables"
        facts.append(f"{head} (DuckDB SQL; ranges or a few values of each column):")
        facts.append(tables_text(tables))
    elif not known.tables and not before and not known.unread:
        facts.append("There are no tables yet.")
    unread = {path: why for path, why in known.unread.items() if f"unread:{path}" in new}
    facts += [unread_text(unread)] if unread else []
    files = [line for path, line in known.files.items() if f"file:{path}" in new]
    if files:
        facts += ["Other files:", *files[:_FILES]]
        facts += [f"- and {len(files) - _FILES:,} more: list_files lists them"] if len(files) > _FILES else []
    sources = [text for name, text in known.sources.items() if f"source:{name}" in new]
    if sources:
        facts += [
            "Sources (their data is not in the workspace; to read one, call query or describe with `source`):",
            *sources,
        ]
    moments = {name: text for name, text in known.moments.items() if f"moment:{name}" in new}
    return [*facts, _moments(moments)] if moments else facts


def _moments(moments: Mapping[str, str]) -> str:
    told = [f"{name} ({text[:_DESCRIPTION]})" if text else name for name, text in moments.items()]
    return f"Named moments (earlier files; SQL and python read them as NAME.table): {', '.join(told)}."


def _gone(keys: Sequence[str]) -> str:
    names = [" ".join(key.partition(":")[2].split()) for key in keys]
    more = f" and {len(names) - _GONE:,} more" if len(names) > _GONE else ""
    return f"No longer there, or under another name: {', '.join(names[:_GONE])}{more}."


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
