"""Finds files in the data folder that its log does not explain. They are removed only if the user names them (WSP-6).

A log may have been replaced by another log, or by an older copy of itself. It then does not know some folders and
contents, which may be all that is left of a chat. So `gc` automatically removes only leftovers that the log explains:
contents that no event names, but that were written while a turn or call of their chat was running.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.commands.values import Unexplained
from engine.errors import NotFound
from engine.toolsets.install import stored_versions
from engine.toolsets.kept_files import COPIES
from engine.workspace.blobs import FolderBlobs
from events.late_dataclass import dataclass

__all__ = [
    "Work",
    "foreign_chats",
    "foreign_copies",
    "foreign_versions",
    "require_known",
    "toolset_hashes",
    "work_of",
]

_SLACK = 1.0
"""The maximum difference between the time of a file and the time of an event, in seconds."""
_WORK = """
SELECT type, coalesce(CASE WHEN starts_with(type, 'Turn') THEN turn_id ELSE call_id END, event_id), occurred_at,
       'interrupted' IN (coalesce(payload->>'$.reason', ''), coalesce(payload->>'$.status', ''))
FROM event_log
WHERE stream = ?
  AND type IN ('TurnStarted', 'TurnResumed', 'TurnFinished', 'ToolCallStarted', 'ToolCallFinished')
ORDER BY position
"""
_TOOLSET_FILES = """
SELECT f.value->>'$.stored_path', f.value->>'$.sha256' FROM event_log e, json_each(e.payload->'$.files') f
WHERE e.type IN ('ToolsetInstalled', 'ToolsetUpgraded')
"""


@dataclass(frozen=True, slots=True)
class Work:
    """The times at which turns and calls of a chat ran."""

    spans: tuple[tuple[float, float], ...]

    def explains(self, written: float) -> bool:
        """Return whether a turn or call was running when a file was written (seconds since 1970)."""
        return any(begun - _SLACK <= written <= ended + _SLACK for begun, ended in self.spans)


def work_of(cursor: Any, chat_id: str) -> Work:
    """Return the times at which a chat's turns and calls ran, according to the log.

    The end of interrupted work is recorded only when the folder is opened again, which may be much later or with a
    restored log. So interrupted work counts only until its last recorded event.
    """
    begun: dict[object, float] = {}
    spans: list[tuple[float, float]] = []
    last = 0.0
    for kind, key, at, cut_off in cursor.execute(_WORK, [f"chat-{chat_id}"]).fetchall():
        seconds = last = last if cut_off else _seconds(at)
        if kind.endswith("Finished"):
            if key in begun:
                spans.append((begun.pop(key), seconds))
        else:
            begun.setdefault(key, seconds)
    return Work(tuple(spans))


def foreign_chats(root: Path, chats: Collection[str]) -> list[Unexplained]:
    """Return the folders below `root` that contain a file but belong to none of `chats`."""
    folders = [Path(entry.path) for entry in _entries(root) if entry.is_dir(follow_symlinks=False)]
    sized = [(folder.name, *_size(folder)) for folder in folders if folder.name not in chats]
    return [Unexplained(name, "chat", files, size) for name, files, size in sorted(sized) if files]


def toolset_hashes(cursor: Any) -> dict[str, dict[str, str]]:
    """Return the files of each toolset version that an event names: `<id>/<version>-<hash>` → path → hash."""
    versions: dict[str, dict[str, str]] = {}
    for stored_path, sha256 in cursor.execute(_TOOLSET_FILES).fetchall():
        _, toolset_id, version, path = stored_path.split("/", 3)
        versions.setdefault(f"{toolset_id}/{version}", {})[path] = sha256
    return versions


def foreign_versions(root: Path, versions: Collection[str]) -> list[Unexplained]:
    """Return the stored toolset versions below `root` that are not in `versions`."""
    foreign = sorted(stored_versions(root) - set(versions))
    return [Unexplained(name, "toolset", *_size(root / name)) for name in foreign]


def foreign_copies(data: Path, hashes: Collection[str]) -> list[Unexplained]:
    """Return the copies of toolset files whose hashes are not in `hashes`, as one item."""
    if not (data / COPIES).is_dir():
        return []
    foreign = [blob for blob in FolderBlobs(data / COPIES).all() if blob.sha256 not in hashes]
    if not foreign:
        return []
    return [Unexplained(COPIES, "copies", len(foreign), sum(blob.size for blob in foreign))]


def require_known(names: Iterable[str], found: Iterable[Unexplained]) -> None:
    """Raise `NotFound` if a name does not belong to an unexplained item. Call this before anything is removed."""
    there = {one.name for one in found}
    for name in names:
        if name not in there:
            known = ", ".join(sorted(there)) or "none"
            raise NotFound(
                "unexplained_not_found",
                f"{name} is not one of the unexplained items, so nothing was removed. "
                f"The unexplained items are: {known}.",
            )


def _seconds(at: datetime) -> float:
    return at.replace(tzinfo=UTC).timestamp()


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _size(folder: Path) -> tuple[int, int]:
    """Return the number of files below a folder, and their total size in bytes."""
    sizes = list(_sizes(folder))
    return len(sizes), sum(sizes)


def _sizes(folder: Path) -> Iterator[int]:
    for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from _sizes(Path(entry.path))
        else:
            yield entry.stat(follow_symlinks=False).st_size
