"""A user's uploads: chooses an unused, safe name, and checks limits before accepting a file."""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence

from engine.errors import Refused
from engine.workspace.limits import USUAL, Room, WorkspaceLimits, in_units, require_disk
from engine.workspace.manifest import Files

__all__ = ["FreeNames", "free_name", "free_names", "harmless_name", "require_room"]

_LONGEST = 200
"""The maximum number of bytes of a name. File systems allow 255 bytes, so there is room to add `_12`."""


class FreeNames:
    """Finds names that are not in `existing`; each returned name counts as taken from then on.

    Names that differ only in case count as taken, because some systems cannot store both. Names of folders count as
    taken too.
    """

    def __init__(self, existing: Iterable[str]) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        """Name → the number to try next if the name is taken. Without it, each of 20,000 files with the same name would
        count from 1.
        """
        for path in existing:
            self._taken.add(path.casefold())
            self._taken.update(path[:at].casefold() for at, sign in enumerate(path) if sign == "/")

    def take(self, name: str) -> str:
        """Return `name`, or the first of `name_1.ext`, `name_2.ext` … that is not taken, and mark it as taken."""
        free = name
        if name.casefold() in self._taken:
            stem, dot, ending = name.rpartition(".")
            if not stem:
                stem, dot, ending = name, "", ""
            numbers = itertools.count(self._next.get(name.casefold(), 1))
            free, number = next(
                (candidate, number)
                for number in numbers
                if (candidate := f"{stem}_{number}{dot}{ending}").casefold() not in self._taken
            )
            self._next[name.casefold()] = number + 1
        self._taken.add(free.casefold())
        return free


def free_name(existing: Collection[str], name: str) -> str:
    """Return `name`, or the first of `name_1.ext`, `name_2.ext` … that is not taken. See `FreeNames`."""
    return FreeNames(existing).take(name)


def free_names(existing: Collection[str], names: Iterable[str]) -> list[str]:
    """Return a safe and unused name for each of `names`, without duplicates."""
    free = FreeNames(existing)
    return [free.take(harmless_name(name)) for name in names]


def harmless_name(name: str) -> str:
    """Return the last part of a browser's file name, without characters that some system cannot store."""
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
    files: Files,
    sizes: Sequence[tuple[str, int]],
    limits: WorkspaceLimits = USUAL,
    room: Room | None = None,
) -> None:
    """Raise Refused if uploads (each a name and a number of bytes) are too many or too large in addition to `files`, or
    do not fit on the disk.

    A workspace that already exceeds its limits refuses new files, but not questions without files.
    """
    if not sizes:
        return
    added = sum(size for _, size in sizes)
    if len(files) + len(sizes) > limits.files:
        raise Refused(
            "workspace_full",
            f"With these files the chat would contain {len(files) + len(sizes):,} files; the limit is "
            f"{limits.files:,}. Nothing was added. Put many small files into one, such as a Parquet "
            "file, or remove some first.",
        )
    total = sum(entry.size for entry in files.values()) + added
    if limits.bytes is not None and total > limits.bytes:
        raise Refused(
            "workspace_full",
            f"With these files the chat would contain {in_units(total)}; the limit is {in_units(limits.bytes)}. "
            "Nothing was added. Remove some files first, or add these to another chat.",
        )
    if room is not None:
        require_disk(added, room, "These files" if len(sizes) > 1 else sizes[0][0])
