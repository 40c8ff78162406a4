"""One chat's workspace: the folder that tools see, and the blobs that store its content."""

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
    """A folder and its blobs. Thread-safe: accesses to the folder run one after another."""

    def __init__(self, folder: Path, blobs: BlobStore, limits: WorkspaceLimits = USUAL) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        self.blobs = blobs
        self._limits = limits
        self._state = FolderState(folder, limits)
        self._lock = RLock()

    def snapshot(self) -> Snapshot:
        """Return the folder's files, after storing new content durably in the blob store.

        Raises Refused if the folder exceeds the limits. Call this when no tool runs in the folder.
        """
        with self._lock:
            return self._state.snapshot(self.blobs)

    def materialize(self, files: Files) -> Materialized:
        """Update the folder to `files`; only differences are written. Changes without a snapshot are lost. Raises
        Invalid for a path that could leave the folder and NotFound for a missing blob; in both cases nothing is
        changed.
        """
        with self._lock:
            return materialize(self._state, files, self.blobs)

    def changes_since(self, files: Files) -> Changes:
        """Return how the folder now differs from `files`; nothing is stored."""
        with self._lock:
            return difference(files, self._state.look().files)

    def lost(self, hashes: Iterable[str]) -> None:
        """Record that these blobs were removed, so that the folder's copies are stored again at its next snapshot."""
        with self._lock:
            self._state.lost(hashes)

    def scratch_copy(self, files: Files, folder: Path) -> "Workspace":
        """Return a workspace in another folder with the same blobs and limits, updated to `files`. For a call that
        works on a separate copy.
        """
        copy = Workspace(folder, self.blobs, self._limits)
        copy.materialize(files)
        return copy
