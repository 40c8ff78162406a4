"""One state of a chat's files, and the difference between two states."""

from collections.abc import Mapping
from typing import TypeAlias

from events.late_dataclass import dataclass

__all__ = ["Changes", "FileEntry", "Files", "difference"]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file's content and its executable bit."""

    sha256: str
    size: int
    """The size in bytes."""
    executable: bool = False


Files: TypeAlias = Mapping[str, FileEntry]
"""A file's relative path with `/` → its entry."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two states."""

    added: Mapping[str, FileEntry]
    changed: Mapping[str, FileEntry]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def difference(before: Files, after: Files) -> Changes:
    """Return the changes from `before` to `after`, ordered by path."""
    added = {path: after[path] for path in sorted(after.keys() - before.keys())}
    changed = {
        path: after[path] for path in sorted(after.keys() & before.keys()) if after[path] != before[path]
    }
    return Changes(added, changed, tuple(sorted(before.keys() - after.keys())))
