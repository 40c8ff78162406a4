"""A link: a small file in the workspace that refers to files elsewhere on this computer (SRC-1).

It contains the path of each file, and the size, time and inode that the file had when it was last seen. So a state of
the chat's files identifies a state of the linked data, and a change of the data is recorded like any other change of
the files. A link by itself gives no permission: any tool may write one into a workspace. Only files that the user
allowed may be read (`LocationAllowed`).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from events.canonical import canonical_json
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["ENDING", "KINDS", "Link", "NotALink", "Part", "kind_of_part", "link_of"]

ENDING: Final = ".link"
_LARGEST: Final = 8 << 20
"""The maximum size of a link file in bytes: enough for the largest allowed number of parts."""
_FORMAT: Final = 1

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".tsv", ".tab", ".psv", ".csv.gz", ".tsv.gz"),
    "lines": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
}
"""The kinds of files that can be used in place, with their endings. Other files must be copied or added as a source."""


class NotALink(ValueError):
    """Raised for a file whose name ends in `.link` but which is not a link. The error's text is a clause about the
    file, such as “it is a link that was damaged”."""


@dataclass(frozen=True, slots=True)
class Part:
    """One linked file, as last seen."""

    path: str
    """The absolute path, without symbolic links."""
    size: int
    """The size in bytes."""
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Link:
    """The content of a link."""

    location: str
    """The absolute path of a file or a folder, or a pattern with `*`, `?` or `[…]`."""
    kind: str
    """A key of `KINDS`."""
    parts: tuple[Part, ...]
    """The files, in order of their paths; together they are one table."""

    @property
    def size(self) -> int:
        """The total size of all files, in bytes."""
        return sum(part.size for part in self.parts)

    def content(self) -> bytes:
        """Return the content of the link's file in the workspace. Equal links have the same bytes."""
        parts: list[JSON] = [[part.path, part.size, part.mtime_ns, part.inode] for part in self.parts]
        told: JSON = {
            "anabranch_link": _FORMAT,
            "kind": self.kind,
            "location": self.location,
            "parts": parts,
        }
        return canonical_json(told).encode()


def link_of(content: bytes) -> Link:
    """Return the link in a file.

    Raises:
        NotALink: the content is not a link.
    """
    try:
        told = json.loads(content) if len(content) <= _LARGEST else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("anabranch_link") != _FORMAT:
        raise NotALink("it ends in .link, but does not name a file")
    location, kind = told.get("location"), told.get("kind")
    parts = tuple(_part(item) for item in _listed(told.get("parts")))
    if not isinstance(location, str) or kind not in KINDS or not location.startswith("/"):
        raise NotALink("the link is damaged, or another program made it")
    return Link(location, str(kind), parts)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _part(item: Any) -> Part:
    if isinstance(item, list) and len(item) == 4 and isinstance(item[0], str):
        numbers = [number for number in item[1:] if type(number) is int and number >= 0]
        if len(numbers) == 3:
            return Part(item[0], *numbers)
    raise NotALink("the link is damaged, or another program made it")


def kind_of_part(name: str) -> str | None:
    """Return the kind (a key of `KINDS`) of a file with this name; None if it cannot be used in place."""
    lowered = name.lower()
    return next((kind for kind, endings in KINDS.items() if lowered.endswith(endings)), None)
