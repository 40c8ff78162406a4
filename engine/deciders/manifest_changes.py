"""Converts the file changes in a recorded state to the workspace's type. Pure."""

from collections.abc import Mapping

from engine.workspace.manifest import Changes, FileEntry
from events.catalog.workspace import File, ManifestRecorded

__all__ = ["changes_of"]


def changes_of(recorded: ManifestRecorded) -> Changes:
    """Convert the changes of a `ManifestRecorded` event to the workspace's `Changes` type."""

    def entries(files: Mapping[str, File]) -> dict[str, FileEntry]:
        return {path: FileEntry(f.sha256, f.size, f.executable) for path, f in files.items()}

    return Changes(entries(recorded.added), entries(recorded.changed), recorded.removed)
