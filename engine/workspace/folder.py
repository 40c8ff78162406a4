"""One chat's workspace: the folder that tools see, the blobs that keep it, and the rules between them."""

from collections.abc import Iterable
from pathlib import Path
from threading import RLock

from engine.workspace.blobs import BlobStore
from engine.workspace.limits import USUAL, WorkspaceLimits
from engine.workspace.manifest import Changes, Files, difference
from engine.workspace.materialize import Materialized, materialize
from engine.workspace.snapshot import FolderState, Snapshot

__all__ = ["Workspace"]


class Workspace:
    """A folder and its blobs. Safe for several threads: what touches the folder happens one after another."""

    def __init__(self, folder: Path, blobs: BlobStore, limits: WorkspaceLimits = USUAL) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        self.blobs = blobs
        self._limits = limits
        self._state = FolderState(folder, limits)
        self._lock = RLock()

    def snapshot(self) -> Snapshot:
        """Return what the folder holds, every byte of it durably in the blob store.

        Raises Refused if it holds more than the limits. Take it when no tool runs here.
        """
        with self._lock:
            return self._state.snapshot(self.blobs)

    def materialize(self, files: Files) -> Materialized:
        """Bring the folder to `files`, touching only what differs.

        What was not snapshotted before is lost. Raises Invalid for a path that could leave the folder and NotFound for
        a blob that is gone; then nothing was touched.
        """
        with self._lock:
            return materialize(self._state, files, self.blobs)

    def changes_since(self, files: Files) -> Changes:
        """How the folder differs from `files` now; nothing is stored."""
        with self._lock:
            return difference(files, self._state.look().files)

    def lost(self, hashes: Iterable[str]) -> None:
        """These blobs were removed: what the folder still holds of them is stored again when it is next kept."""
        with self._lock:
            self._state.lost(hashes)

    def scratch_copy(self, files: Files, folder: Path) -> "Workspace":
        """Bring another folder to `files`, for a call that works on a copy of its own; same blobs, same limits."""
        copy = Workspace(folder, self.blobs, self._limits)
        copy.materialize(files)
        return copy
