"""One chat's workspace: the folder that tools see, the blobs that store its content, and the rules between them."""

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
    """A folder and its blobs. Safe for several threads: accesses to the folder run one after another."""

    def __init__(self, folder: Path, blobs: BlobStore, limits: WorkspaceLimits = USUAL) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        self.blobs = blobs
        self._limits = limits
        self._state = FolderState(folder, limits)
        self._lock = RLock()

    def snapshot(self) -> Snapshot:
        """Return the folder's files, with every byte durable in the blob store.

        Raises Refused if it holds more than the limits. Take it when no tool runs here.
        """
        with self._lock:
            return self._state.snapshot(self.blobs)

    def materialize(self, files: Files) -> Materialized:
        """Update the folder to `files`; only differences are touched. Changes without a snapshot are lost. Raises
        Invalid for a path that could leave the folder and NotFound for a blob that is gone; then nothing was touched.
        """
        with self._lock:
            return materialize(self._state, files, self.blobs)

    def changes_since(self, files: Files) -> Changes:
        """Return how the folder differs from `files` now; nothing is stored."""
        with self._lock:
            return difference(files, self._state.look().files)

    def lost(self, hashes: Iterable[str]) -> None:
        """Note that these blobs were removed: the folder's copies are stored again at its next snapshot."""
        with self._lock:
            self._state.lost(hashes)

    def scratch_copy(self, files: Files, folder: Path) -> "Workspace":
        """Update another folder to `files`, for a call with a separate copy; same blobs, same limits."""
        copy = Workspace(folder, self.blobs, self._limits)
        copy.materialize(files)
        return copy
