"""Updates a folder to given files. Only differences are written, and nothing is written through a link.

New content is prepared in a folder next to the workspace and then moved in, so that files are never incomplete and no
temporary file is mistaken for a user's file. Entries without bytes (links, pipes, sockets, devices) and folders that
became empty are removed. A file whose name is not allowed in a manifest is in no snapshot, so its content is not stored
anywhere else. Such a file stays in the folder unless it is in the way.
"""

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from engine.workspace.blobs import BlobStore
from engine.workspace.manifest import FileEntry, Files, difference
from engine.workspace.open_folder import FolderTrail, OpenFolder, folder_trail
from engine.workspace.paths import require_path
from engine.workspace.snapshot import FolderState
from events.late_dataclass import dataclass

__all__ = ["Materialized", "materialize"]


@dataclass(frozen=True, slots=True)
class Materialized:
    """The changes made to the folder."""

    written: int
    """The number of files that were written."""
    removed: int
    """The number of files, links and other entries that were removed."""


def materialize(state: FolderState, files: Files, blobs: BlobStore) -> Materialized:
    """Update the folder of `state` to `files`; create it if necessary.

    Raises Invalid for a path that could leave the folder and NotFound for a missing blob, in both cases before anything
    is changed.
    """
    state.folder.mkdir(parents=True, exist_ok=True)
    walk = state.look()
    changes = difference(walk.files, files)
    new = {**changes.added, **changes.changed}
    paths = {path: require_path(path) for path in new}
    incoming = state.folder.parent / f"{state.folder.name}.incoming"
    shutil.rmtree(incoming, ignore_errors=True)
    prepared = _prepare(new, blobs, incoming) if new else {}
    try:
        with folder_trail(state.folder) as trail:
            gone = [*changes.removed, *walk.contentless]
            _remove(trail, gone)
            _remove_emptied(trail, walk.folders, files)
            for path in sorted(new, key=lambda path: paths[path]):
                _put(trail, paths[path], prepared[path])
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    state.stands_on(files)
    return Materialized(len(new), len(gone))


def _prepare(new: Mapping[str, FileEntry], blobs: BlobStore, incoming: Path) -> dict[str, Path]:
    """Write the new files, with numbers as names, to the folder `incoming`, which is beside the workspace and which
    tools cannot access.
    """
    incoming.mkdir(mode=0o700)
    prepared: dict[str, Path] = {}
    try:
        with OpenFolder(incoming) as folder:
            for number, (path, entry) in enumerate(new.items()):
                descriptor = folder.create_file(str(number), entry.executable)
                try:
                    blobs.copy_to(entry.sha256, descriptor)
                finally:
                    os.close(descriptor)
                prepared[path] = incoming / str(number)
    except BaseException:
        shutil.rmtree(incoming, ignore_errors=True)
        raise
    return prepared


def _remove(trail: FolderTrail, paths: list[str]) -> None:
    for path in sorted(paths, key=lambda path: path.split("/")):
        *parents, name = path.split("/")
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            trail.folder(parents).remove_file(name)


def _remove_emptied(trail: FolderTrail, folders: list[str], files: Files) -> None:
    """Remove folders that no file needs, deepest first; a folder that still contains something stays."""
    needed: set[str] = set()
    for path in files:
        while (path := path.rpartition("/")[0]) and path not in needed:
            needed.add(path)
    for folder in reversed(folders):
        if folder not in needed:
            *parents, name = folder.split("/")
            with contextlib.suppress(OSError):
                trail.folder(parents).remove_folder(name)


def _put(trail: FolderTrail, parts: list[str], source: Path) -> None:
    *parents, name = parts
    folder = trail.folder(parents, create=True)
    try:
        folder.move_in(source, name)
    except (IsADirectoryError, PermissionError):  # on Windows, a folder in the way raises PermissionError
        folder.remove_tree(name)
        folder.move_in(source, name)
