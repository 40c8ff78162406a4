"""A folder in which a chat's calls run, with a marker that records which state of the files it contains."""

import json
from dataclasses import asdict
from pathlib import Path

from engine.system.folder_removal import remove_tree
from engine.workspace.blobs import BlobStore
from engine.workspace.folder import Workspace
from engine.workspace.manifest import Files
from events.late_dataclass import dataclass

__all__ = ["ChatFolder", "Marker"]


@dataclass(frozen=True, slots=True)
class Marker:
    """The recorded state of a folder."""

    manifest_id: str | None = None
    call_id: str | None = None
    """The call that may be changing the folder."""
    moving: bool = False
    """Whether the folder must be restored before it is read, because it was being changed to another state or contains
    files that belong to no state.
    """
    joins: bool = True
    """Whether the branch continues from the files that the call leaves, even if the call fails or is stopped."""


class ChatFolder:
    """A folder with its marker."""

    def __init__(self, folder: Path, blobs: BlobStore) -> None:
        fresh = not folder.exists()
        self.workspace = Workspace(folder, blobs)
        self._marker = folder.with_name(f"{folder.name}.json")
        if fresh:
            self._marker.unlink(missing_ok=True)

    @property
    def marker(self) -> Marker | None:
        """Return the state of the folder; None if it is not known, for example because the folder is new."""
        try:
            return Marker(**json.loads(self._marker.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def mark(self, marker: Marker) -> None:
        """Record the state of the folder."""
        fresh = self._marker.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(marker)))
        fresh.replace(self._marker)

    def checkout(self, manifest_id: str | None, files: Files) -> None:
        """Update the folder to a state of the files. Record edits first: unrecorded edits in the folder are lost."""
        self.mark(Marker(manifest_id, moving=True))
        self.workspace.materialize(files)
        self.mark(Marker(manifest_id))

    def remove(self) -> None:
        """Delete the folder and its marker."""
        remove_tree(self.workspace.folder)
        self._marker.unlink(missing_ok=True)
