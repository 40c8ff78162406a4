"""Copies a bundle's files into the data folder, before the event that refers to them is recorded.

A bundle is checked as a whole, copied into a staging folder, synced and renamed to `<id>/<version>-<hash>/`. Before the
renaming, a marker is written, which means that no event names this version yet; `settle` removes the marker. So a crash
leaves at most a staging folder (`sweep_staging`) or a marked version (`sweep_versions`), never half a version. A
version without a marker is never removed here, even if this log does not know it: it may belong to an earlier log that
was replaced by this log.
"""

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from engine.commands.values import Outcome
from engine.errors import Invalid, Problem, Unavailable
from engine.toolsets.archive import BundleFiles, open_bundle
from engine.toolsets.manifest import MANIFEST_NAME, Manifest
from engine.toolsets.manifest_cache import manifest_of
from engine.toolsets.manifest_read import read_manifest
from engine.toolsets.redact import without_secrets
from engine.toolsets.skill import SKILL_NAME, Skill
from engine.toolsets.stored_code import deviations
from engine.workspace.durable import sync_files, sync_folders
from events.late_dataclass import dataclass

__all__ = [
    "STAGING",
    "FileKind",
    "InstalledVersion",
    "SourceType",
    "StagedBundle",
    "StoredFile",
    "discard",
    "outcome",
    "packages_folder",
    "settle",
    "stage",
    "stored_versions",
    "sweep_staging",
    "sweep_versions",
    "validate",
    "version_folder",
    "write_version",
]

FileKind: TypeAlias = Literal["python", "artifact", "asset", "config"]
SourceType: TypeAlias = Literal["zip", "local", "url"]

STAGING = ".staging-"
"""The prefix of the names of folders that are being written."""
_PENDING = ".pending-"
"""The prefix of the names of markers: `.pending-<id>_<version>-<hash>`. Ids never contain an underscore."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of a stored version: a row of `toolset_files`."""

    toolset_id: str
    path: str
    """The path from the bundle's root."""
    kind: FileKind
    sha256: str
    size: int
    """The size in bytes."""
    stored_path: str
    """The path from the data folder."""


@dataclass(frozen=True, slots=True)
class StagedBundle:
    """A valid bundle that is stored in the data folder, but that no event refers to yet."""

    manifest: Manifest
    files: tuple[StoredFile, ...]
    content_hash: str
    source_type: SourceType
    source_ref: str
    folder: Path
    created: bool
    """Whether this staging created the folder; False if that version was already stored, even if it was repaired."""
    advice: tuple[Problem, ...] = ()
    """Advice for the bundle's author; it does not cause a refusal."""
    skill: Skill | None = None
    """The bundle's SKILL.md, if it has one."""


@dataclass(frozen=True, slots=True)
class InstalledVersion:
    """The installed version of a toolset according to the log."""

    toolset_id: str
    version: str
    content_hash: str


def validate(source: Path | bytes) -> list[Problem]:
    """Return every problem of a bundle (ZIP or folder), including advice; nothing is written."""
    try:
        with open_bundle(source) as files:
            return list(read_manifest(files, files.folder).advice)
    except Invalid as error:
        return list(error.problems)


def stage(
    source: Path | bytes,
    toolsets_root: Path,
    *,
    source_type: SourceType | None = None,
    source_ref: str | None = None,
) -> StagedBundle:
    """Check a bundle and store its files below `toolsets_root` (`<data>/toolsets`).

    `source_type` and `source_ref` (the name that the user gave) are derived from `source` unless given.

    Raises:
        Invalid: lists every problem; nothing was written.
        Unavailable: the files cannot be stored (`toolset_store`); nothing is left behind.
    """
    kind: SourceType = source_type or ("local" if isinstance(source, Path) and source.is_dir() else "zip")
    reference = source_ref or (os.path.realpath(source) if isinstance(source, Path) else "")
    if kind == "url":
        reference = without_secrets(reference)  # the log stores the address, which may contain secrets
    with open_bundle(source) as files:
        read = manifest_of(files)
        folder = version_folder(toolsets_root, read.manifest, files.content_hash)
        created = not folder.exists()
        if deviations(folder, {path: file.sha256 for path, file in files.entries.items()}):
            _store(files, folder, toolsets_root)
        return StagedBundle(
            read.manifest,
            _stored_files(files, read.manifest.id, folder),
            files.content_hash,
            kind,
            reference,
            folder,
            created,
            read.advice,
            read.skill,
        )


def _stored_files(files: BundleFiles, toolset_id: str, folder: Path) -> tuple[StoredFile, ...]:
    below = f"{folder.parent.parent.name}/{toolset_id}/{folder.name}/"
    return tuple(
        StoredFile(toolset_id, file.path, _kind(file.path), file.sha256, file.size, below + file.path)
        for file in files.entries.values()
    )


def version_folder(toolsets_root: Path, manifest: Manifest, content_hash: str) -> Path:
    """Return the folder of a version's files."""
    return toolsets_root / manifest.id / f"{manifest.version}-{content_hash[:12]}"


def packages_folder(data: Path, version: Path) -> Path:
    """Return the folder of a stored version's packages, which is separate from its hashed and exported files."""
    return data / "packages" / version.parent.name / version.name


def outcome(installed: InstalledVersion | None, staged: StagedBundle) -> Outcome:
    """Describe what installing `staged` changes; `installed` is None for a new or uninstalled toolset."""
    if installed is None:
        return "installed"
    return "unchanged" if installed.content_hash == staged.content_hash else "upgraded"


def discard(staged: StagedBundle) -> None:
    """Remove the files that `stage` stored, if the event is not appended; a version that was stored earlier stays."""
    if staged.created:
        _remove_version(staged.folder)
        settle(staged)


def settle(staged: StagedBundle) -> None:
    """Remove the marker of a version that an event now names, or that was removed.

    If the disk refuses this, the next start removes it.
    """
    with contextlib.suppress(OSError):
        _marker(staged.folder).unlink(missing_ok=True)


def _marker(folder: Path) -> Path:
    return folder.parent.parent / f"{_PENDING}{folder.parent.name}_{folder.name}"


def _remove_version(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()


def sweep_staging(toolsets_root: Path) -> int:
    """Remove files of crashed installs; return their number. Call this at start, before any install."""
    leftovers = [path for path in toolsets_root.glob(f"{STAGING}*") if path.is_dir()]
    for path in leftovers:
        shutil.rmtree(path, ignore_errors=True)
    return len(leftovers)


def stored_versions(toolsets_root: Path) -> set[str]:
    """Return `<id>/<version>-<hash>` of every stored version, whether or not an event names it."""
    return {
        path.relative_to(toolsets_root).as_posix()
        for path in toolsets_root.glob("*/*")
        if path.is_dir() and not path.parent.name.startswith(".")
    }


def sweep_versions(toolsets_root: Path, is_named: Callable[[str], bool]) -> int:
    """Remove the versions of installs that were interrupted before their event; return their number.

    `is_named` says whether any event refers to a version, given as `<id>/<version>-<hash>` as in stored paths. It is
    called only for a version with a marker. A version that no event names and that has no marker stays: see
    `engine.app.maintenance.retention`.
    """
    removed = 0
    for marker in sorted(toolsets_root.glob(f"{_PENDING}*")):
        toolset_id, _, version = marker.name.removeprefix(_PENDING).partition("_")
        folder = toolsets_root / toolset_id / version
        if version and folder.is_dir() and not is_named(f"{toolset_id}/{version}"):
            _remove_version(folder)
            removed += 1
        marker.unlink(missing_ok=True)
    return removed


def _kind(path: str) -> FileKind:
    if path.endswith(".py"):
        return "python"
    if path.startswith("artifacts/"):
        return "artifact"
    return "config" if path in (MANIFEST_NAME, SKILL_NAME) else "asset"


def _store(files: BundleFiles, folder: Path, root: Path) -> None:
    """Write `files` to a staging folder, sync them, and rename the folder to `folder`."""
    new = [path for path in (folder.parent, root) if not path.exists()]
    staging, aside = (root / f"{STAGING}{uuid.uuid4().hex}" for _ in range(2))
    placed = False
    try:
        write_version(staging, ((path, files.read(path)) for path in files))
        folder.parent.mkdir(exist_ok=True)
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            folder.rename(aside)
        else:
            _marker(folder).touch(0o600)
            sync_folders((root,))
        staging.rename(folder)
        placed = True
        sync_folders((folder.parent, root))
    except BaseException as error:
        if placed:
            shutil.rmtree(folder, ignore_errors=True)
        if aside.exists() and not folder.exists():
            aside.rename(folder)
        if not folder.exists():
            _marker(folder).unlink(missing_ok=True)
        shutil.rmtree(staging, ignore_errors=True)
        for made in new:
            with contextlib.suppress(OSError):
                made.rmdir()
        if isinstance(error, OSError):
            message = f"the bundle's files cannot be stored: {error.strerror or error}; is the disk full?"
            raise Unavailable("toolset_store", message) from error
        raise
    shutil.rmtree(aside, ignore_errors=True)


def write_version(folder: Path, contents: Iterable[tuple[str, bytes]]) -> None:
    """Write a version's files (path and bytes) into the new folder `folder`, read-only and synced."""
    folder.mkdir(parents=True)
    filled = []
    for path, data in contents:
        _write(folder / path, data)
        if data:  # an empty file has no content to sync
            filled.append(folder / path)
    sync_files(filled)
    sync_folders(Path(below) for below, _, _ in os.walk(folder))


def _write(path: Path, data: bytes) -> None:
    """Write one new file, read-only; not yet synced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    path.chmod(0o400)
