"""Lists toolset files that differ from the installed version, and restores them from stored copies."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.commands.catalog import Restored, RestoreToolset
from engine.config import shipped_bundles
from engine.errors import NotFound, Unavailable
from engine.tools.toolbox import ReadModels, Toolbox, ToolsetRow
from engine.toolsets.install import StagedBundle, StoredFile
from engine.toolsets.kept_files import KeptFiles
from engine.toolsets.lookalikes import visible

__all__ = ["Restoring"]


class Restoring:
    """Keeps copies of installed toolsets, and restores changed files from them."""

    def __init__(self, read: ReadModels, toolbox: Toolbox, data: Path, lock: Any) -> None:
        """`lock` serializes decisions about toolsets."""
        self._read = read
        self._toolbox = toolbox
        self._data = data
        self._lock = lock
        self._kept = KeptFiles(data)

    def keep(self, staged: StagedBundle) -> None:
        """Copy a staged bundle's files before the event that names them is appended."""
        self._kept.keep(staged.files)

    def catch_up(self) -> None:
        """Copy the files of toolsets that an earlier release installed without a copy."""
        self._kept.keep_what_is_whole(_files(self._read("toolset_files")))

    def installed(self) -> list[ToolsetRow]:
        """Return the installed toolsets, each with its `changed_files`."""
        return [row | {"changed_files": self.changed(row["id"])} for row in self._toolbox.toolsets()]

    def files(self, toolset_id: str) -> list[StoredFile]:
        """Return the recorded files of an installed toolset."""
        return _files(row for row in self._read("toolset_files") if row["toolset_id"] == toolset_id)

    def changed(self, toolset_id: str) -> list[str]:
        """Return the stored files of a toolset that differ from the files that were installed."""
        files = self.files(toolset_id)
        if not files:
            return []
        found = self._toolbox.code.deviations(self._folder(files), {file.path: file for file in files})
        return [one.path for one in found]

    def restore(self, command: RestoreToolset) -> Restored:
        """See `RestoreToolset`."""
        toolset_id = command.toolset_id
        with self._lock:
            row = self._toolbox.toolset(toolset_id)
            if row is None:
                raise NotFound("toolset_not_found", f"No toolset {toolset_id} is installed.")
            files, changed = self.files(toolset_id), self.changed(toolset_id)
            if changed:
                lost = self._kept.restore(self._folder(files), files, _sources(row))
                if lost:
                    raise _nowhere(row, lost)
            return Restored(toolset_id, tuple(changed))

    def _folder(self, files: list[StoredFile]) -> Path:
        return self._data.joinpath(*Path(files[0].stored_path).parts[:3])


def _files(rows: Iterable[dict[str, Any]]) -> list[StoredFile]:
    return [StoredFile(**row) for row in rows]


def _sources(row: ToolsetRow) -> list[Path]:
    """Return the folders that may contain a toolset's files: its source folder, and the bundle shipped under its id."""
    source = Path(row["source_ref"])
    own = [source] if row["source_type"] == "local" and source.is_absolute() else []
    return [*own, shipped_bundles() / row["id"]]


def _nowhere(row: ToolsetRow, lost: list[str]) -> Unavailable:
    others = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
    source = visible(row["source_ref"]) or f"the ZIP of {row['name']} {row['version']}"
    return Unavailable(
        "toolset_not_restorable",
        f"{row['name']} cannot be restored: there is no intact copy of {lost[0]}{others}. Nothing was changed. "
        f"Install it again from {source} with `anabranch toolset install`.",
    )
