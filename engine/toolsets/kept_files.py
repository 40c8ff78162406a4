"""Second copies of all installed toolset files, named by their hashes, from which a changed toolset is restored.

Each content is stored once in `<data>/toolset-copies`. The stored files are copies, never hard links. If a file is
edited in place, all of its hard links change too.
"""

import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from engine.errors import Unavailable
from engine.toolsets.install import STAGING, write_version
from engine.toolsets.stored_code import deviations
from engine.workspace.blobs import FolderBlobs
from engine.workspace.durable import sync_folders
from engine.workspace.hashing import digest_of

__all__ = ["COPIES", "KeptFiles", "Stored"]

COPIES = "toolset-copies"


class Stored(Protocol):
    """The record of a file of an installed toolset."""

    @property
    def path(self) -> str:
        """The path from the bundle's root."""
        ...

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        ...

    @property
    def stored_path(self) -> str:
        """The path from the data folder."""
        ...


class KeptFiles:
    """The copies of one data folder."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._opened: FolderBlobs | None = None

    @property
    def blobs(self) -> FolderBlobs:
        """The blob store; it is created on first use, and again if someone deleted it."""
        if self._opened is None or not self._opened.root.is_dir():
            self._opened = FolderBlobs(self._data / COPIES)
        return self._opened

    def keep(self, files: Iterable[Stored]) -> None:
        """Copy stored files durably. Files that have a copy are only looked up.

        Raises:
            Unavailable: a stored file differs from its record, or cannot be copied (`toolset_store`).
        """
        lacking = [file for file in files if not self.blobs.has(file.sha256)]
        if not lacking:
            return
        try:
            with self.blobs.batch() as batch:
                for file in lacking:
                    with (self._data / file.stored_path).open("rb") as stream:
                        if batch.put_stream(stream).sha256 != file.sha256:
                            raise Unavailable(
                                "toolset_store",
                                f"{file.path} changed while the toolset was being stored. Try again.",
                            )
        except OSError as error:
            message = f"A copy of the toolset's files cannot be stored: {error.strerror or error}. Is the disk full?"
            raise Unavailable("toolset_store", message) from error

    def keep_what_is_whole(self, files: Iterable[Stored]) -> None:
        """Copy the stored files that match their records. This is for toolsets that were installed by releases that
        made no copies.
        """
        lacking = [file for file in files if not self.blobs.has(file.sha256)]
        whole = [file for file in lacking if _hash(self._data / file.stored_path) == file.sha256]
        self.keep(whole)

    def restore(self, folder: Path, files: Iterable[Stored], sources: Iterable[Path]) -> list[str]:
        """Put all files of a version back into `folder`, or none; return the paths that cannot be found anywhere.

        If a file's copy is missing or damaged, the installed file or a file in the folders `sources` is used, provided
        that its hash is right. If any file cannot be found, nothing is changed.

        Raises:
            Unavailable: the files cannot be written (`toolset_store`).
        """
        listed, places = list(files), list(sources)
        found = {file.path: self._place(file, places) for file in listed}
        lost = [path for path, place in found.items() if place is None]
        if not lost:
            there = {path: place for path, place in found.items() if place is not None}
            _replace(folder, there, {file.path: file.sha256 for file in listed}, self._data / "toolsets")
            self.keep(listed)
        return lost

    def _place(self, file: Stored, places: Iterable[Path]) -> Path | None:
        """Return the path at which a file's content is stored undamaged; None if there is no such path. A damaged copy
        is dropped.
        """
        copy = self.blobs.path(file.sha256)
        if _hash(copy) == file.sha256:
            return copy
        self.blobs.remove([file.sha256])
        elsewhere = (self._data / file.stored_path, *(place / file.path for place in places))
        return next((place for place in elsewhere if _hash(place) == file.sha256), None)


def _hash(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            return digest_of(stream)[0]
    except OSError:
        return None


def _replace(folder: Path, places: Mapping[str, Path], hashes: Mapping[str, str], root: Path) -> None:
    """Write a version to a staging folder and exchange the folders. If this is interrupted, the version's folder is
    missing, but never incomplete.
    """
    staging, aside = (root / f"{STAGING}{uuid.uuid4().hex}" for _ in range(2))
    try:
        write_version(staging, ((path, place.read_bytes()) for path, place in places.items()))
        if deviations(staging, hashes):
            raise Unavailable(
                "toolset_store", "The toolset's files changed while they were restored. Try again."
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            folder.rename(aside)
        staging.rename(folder)
        sync_folders((folder.parent, root))
    except OSError as error:
        if aside.exists() and not folder.exists():
            aside.rename(folder)
        message = f"The toolset's files cannot be restored: {error.strerror or error}. Is the disk full?"
        raise Unavailable("toolset_store", message) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    shutil.rmtree(aside, ignore_errors=True)
