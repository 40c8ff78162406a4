"""What a user drops in: a free and harmless name for it, and limits before it is taken."""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from engine.errors import Refused
from engine.workspace.manifest import Files

__all__ = ["UploadLimits", "free_name", "free_names", "harmless_name", "require_room"]

_LONGEST = 200
"""Bytes of a name; file systems take 255, and `_12` may have to fit."""


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """What may be dropped in at once, and what a workspace may hold after it."""

    file_bytes: int = 1 << 30
    files_at_once: int = 100
    workspace_bytes: int = 10 << 30
    workspace_files: int = 10_000


def free_name(existing: Collection[str], name: str) -> str:
    """Return `name`, or the first of `name_1.ext`, `name_2.ext` … that is not taken.

    Names that differ only in case count as taken, because some systems cannot keep both; so do names of folders.
    """
    taken = {path.casefold() for path in existing}
    taken.update(path[:at].casefold() for path in existing for at, sign in enumerate(path) if sign == "/")
    if name.casefold() not in taken:
        return name
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    candidates = (f"{stem}_{number}{dot}{ending}" for number in itertools.count(1))
    return next(candidate for candidate in candidates if candidate.casefold() not in taken)


def free_names(existing: Collection[str], names: Iterable[str]) -> list[str]:
    """Return a harmless and free name for each of `names`, none of them twice."""
    taken, chosen = set(existing), []
    for name in names:
        free = free_name(taken, harmless_name(name))
        taken.add(free)
        chosen.append(free)
    return chosen


def harmless_name(name: str) -> str:
    """Return the last part of a browser's file name, without what some system could not keep."""
    last = re.split(r"[/\\]", name)[-1].encode(errors="replace").decode()
    clean = re.sub(r'[\x00-\x1f\x7f-\x9f<>:"|?*]', "_", last).strip(" ").rstrip(".")
    if len(clean.encode()) > _LONGEST:
        stem, dot, ending = clean.rpartition(".")
        keep = ending[:20] if stem else ""
        clean = (
            (stem or clean).encode()[: _LONGEST - 24].decode(errors="ignore") + (dot if stem else "") + keep
        )
    return clean or "upload"


def require_room(
    files: Files, sizes: Sequence[tuple[str, int]], limits: UploadLimits = UploadLimits()
) -> None:
    """Raise Refused if uploads, each a name and its bytes, are too large or too many beside `files`."""
    if len(sizes) > limits.files_at_once:
        raise Refused(
            "too_many_uploads",
            f"{len(sizes)} files were dropped in; at most {limits.files_at_once} are taken at once. Add them in parts.",
        )
    for name, size in sizes:
        if size > limits.file_bytes:
            raise Refused(
                "upload_too_large",
                f"{name} has {size / (1 << 20):,.1f} MiB; a file may have {limits.file_bytes / (1 << 20):,.1f} MiB. "
                "Make it smaller, for example as Parquet.",
            )
    total = sum(entry.size for entry in files.values()) + sum(size for _, size in sizes)
    if total > limits.workspace_bytes or len(files) + len(sizes) > limits.workspace_files:
        raise Refused(
            "workspace_full",
            f"With these files the workspace would hold more than {limits.workspace_files:,} files or "
            f"{limits.workspace_bytes / (1 << 30):,.1f} GiB. Remove some first, or begin another chat.",
        )
