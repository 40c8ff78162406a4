"""Live folders (BND-7): a toolset installed from a folder uses the folder's code at its next call.

A change is recorded as an upgrade in the log, with a new content hash. It never grants anything that the user did not
agree to: if a folder asks for more, or cannot be used, a notice says so, and the installed version stays in use.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from engine.command_handlers.packages import carry_packages
from engine.command_handlers.staging_cleanup import discarded_on_failure
from engine.errors import AnabranchError, Invalid
from engine.tools.toolbox import Toolbox, ToolsetRow
from engine.toolsets.archive import open_bundle
from engine.toolsets.bundle_paths import ignored
from engine.toolsets.bundle_sources import MAX_ENTRIES
from engine.toolsets.install import StagedBundle, discard, stage
from engine.toolsets.manifest import Manifest
from engine.toolsets.upgrade import wants_more
from events.late_dataclass import dataclass

__all__ = ["LiveFolders"]

_AGREE = "Review the changes and agree to them with `anabranch toolset install {}`, or under Toolsets."
_GRANULARITY = 2.0
"""A file that changes twice within this number of seconds may keep the same times. A folder with a file that changed
more recently than this is read each time.
"""

_Stamp: TypeAlias = frozenset[tuple[str, int, int, int, int]]
"""Path, inode, size, mtime and ctime of each file."""


class Upgrade(Protocol):
    """Records a staged bundle as the toolset's new content."""

    def __call__(self, staged: StagedBundle) -> None: ...


@dataclass(frozen=True, slots=True)
class _Seen:
    stamp: _Stamp | None
    """The stamp of the folder; None if its files changed too recently for a stamp."""
    content_hash: str
    """The content hash of the version that was installed when the folder was examined."""
    note: str | None


class LiveFolders:
    """Examines the folders when a tool is offered or called. Thread-safe."""

    def __init__(
        self,
        toolbox: Toolbox,
        data: Path,
        lock: Any,
        upgrade: Upgrade,
        is_named: Callable[[StagedBundle], bool],
    ) -> None:
        """`lock` serializes decisions about toolsets; for `is_named`, see `discarded_on_failure`."""
        self._is_named = is_named
        self._toolbox = toolbox
        self._data = data
        self._lock = lock
        self._upgrade = upgrade
        self._seen: dict[str, _Seen] = {}

    def note(self, toolset_id: str) -> str | None:
        """Return the reason why the current state of a toolset's folder is not used; None if it is used or there is no
        folder.
        """
        seen = self._seen.get(toolset_id)
        return seen.note if seen else None

    def look(self, toolset_ids: Collection[str] | None = None) -> None:
        """Update toolsets to the contents of their folders: the toolsets in `toolset_ids`, or all toolsets if None."""
        for row in self._toolbox.toolsets():
            wanted = toolset_ids is None or row["id"] in toolset_ids
            if wanted and row["enabled"] and row["source_type"] == "local" and not self._is_known(row):
                with self._lock:
                    self._follow(row["id"])

    def _is_known(self, row: ToolsetRow) -> bool:
        source = Path(row["source_ref"])
        # a shipped toolset, or a folder that no longer exists
        if not source.is_absolute() or not source.is_dir():
            return self.note(row["id"]) is None
        seen = self._seen.get(row["id"])
        if seen is None or seen.stamp is None or seen.content_hash != row["content_hash"]:
            return False
        return seen.stamp == _stamp(source)

    def _follow(self, toolset_id: str) -> None:
        row = next((row for row in self._toolbox.toolsets() if row["id"] == toolset_id), None)
        if row is None or self._is_known(row):
            return
        before, source = self.note(toolset_id), Path(row["source_ref"])
        stamp = _stamp(source) if source.is_dir() else None
        note = self._taken(row, source) if source.is_dir() else None
        now = next(row["content_hash"] for row in self._toolbox.toolsets() if row["id"] == toolset_id)
        self._seen[toolset_id] = _Seen(stamp, now, note)
        if note != before:
            self._toolbox.forget()

    def _taken(self, row: ToolsetRow, source: Path) -> str | None:
        """Install the folder's content as an upgrade if that is allowed; otherwise return the reason, in words."""
        if (leads := os.path.realpath(source)) != os.path.normpath(source):
            return _unused(row, f"The folder is now at {leads}. {_AGREE.format(leads)}")
        try:
            with open_bundle(source) as files:
                if files.content_hash == row["content_hash"]:
                    return None
            staged = stage(source, self._data / "toolsets", source_ref=row["source_ref"])
        except AnabranchError as error:
            return _refused(row, source, error)
        why = self._wants(row, staged)
        if why is not None:
            discard(staged)
            return why
        try:
            with discarded_on_failure(staged, self._is_named):
                carry_packages(self._data, row["id"], row["version"], row["content_hash"], staged)
                self._upgrade(staged)
        except AnabranchError as error:
            return _refused(row, source, error)
        return None

    def _wants(self, row: ToolsetRow, staged: StagedBundle) -> str | None:
        if staged.manifest.id != row["id"]:
            return _unused(row, f"It now contains the toolset {staged.manifest.id}.")
        skills = (row["skill"], staged.skill.to_json() if staged.skill else None)
        more = wants_more(Manifest.from_json(row["manifest"]), staged.manifest, skills)
        if not more:
            return None
        agree = _AGREE.format(row["source_ref"])
        return _unused(row, f"It asks for more than you agreed to: {'; '.join(more)}. {agree}")


def _refused(row: ToolsetRow, source: Path, error: AnabranchError) -> str:
    problems = error.problems if isinstance(error, Invalid) else ()
    told = "; ".join(map(str, problems[:3])) or error.message
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return _unused(
        row,
        f"The changed folder cannot be used: {told}{more}. `anabranch toolset validate {source}` lists all problems.",
    )


def _unused(row: ToolsetRow, why: str) -> str:
    return f"The folder {row['source_ref']} has changed, but {row['name']} still runs in the installed version. {why}"


def _stamp(root: Path) -> _Stamp | None:
    """Return a stamp that changes whenever a file in the folder changes; None if a file changed just now."""
    began = time.time()
    found: list[tuple[str, int, int, int, int]] = []
    try:
        for path, status in _statuses(root):
            found.append((path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
            if max(status.st_mtime, status.st_ctime) > began - _GRANULARITY or len(found) > MAX_ENTRIES:
                return None
    except OSError:
        return None
    return frozenset(found)


def _statuses(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    pending = [""]
    while pending:
        below = pending.pop()
        with os.scandir(root / below) as entries:
            for entry in entries:
                path = f"{below}{entry.name}"
                if ignored(path):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{path}/")
                yield path, entry.stat(follow_symlinks=False)
