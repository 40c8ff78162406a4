"""Limits of a workspace, and checks whether the disk has room for new content.

The number of files is always limited. Their size is usually limited only by the disk. Tools, the user's own editor and
uploads have the same limits, so none of them can make a workspace too large for the others.
"""

import shutil
from pathlib import Path

from engine.errors import Refused
from engine.workspace.copying import shares_blocks
from events.late_dataclass import dataclass

__all__ = ["USUAL", "Room", "WorkspaceLimits", "in_units", "largest_write", "require_disk", "room_in"]

_SPARE = 64 << 20
"""Bytes that stay free for the log, which must be able to record what happened."""

_ALWAYS_WRITTEN = 2 << 30
"""The size in bytes of the files that a tool may always try to write. If the disk has less room, writing fails."""


@dataclass(frozen=True, slots=True)
class WorkspaceLimits:
    """The limits of a workspace."""

    files: int = 100_000
    """The maximum number of entries of any kind."""
    bytes: int | None = None
    """The maximum sum of the files' apparent sizes; None: limited only by the disk."""


USUAL = WorkspaceLimits()


@dataclass(frozen=True, slots=True)
class Room:
    """The free space on a chat's disk."""

    free: int
    """The free space in bytes."""
    copies: int = 2
    """How many times a new file is written: twice, to the store and to the folder, or once if they share disk
    blocks."""


def room_in(folder: Path) -> Room:
    """Return the room on the disk of `folder`, which must exist."""
    return Room(shutil.disk_usage(folder).free, 1 if shares_blocks(folder) else 2)


def largest_write(folder: Path) -> int:
    """Return the largest size in bytes of a file that a tool may write in `folder`: half of the free space, so that two
    copies fit, but at least 2 GiB.
    """
    return max(_ALWAYS_WRITTEN, shutil.disk_usage(folder).free // 2)


def require_disk(size: int, room: Room, what: str) -> None:
    """Raise Refused if `size` more bytes do not fit on the disk."""
    needed = size * room.copies + _SPARE
    if needed > room.free:
        raise Refused(
            "disk_too_full",
            f"{what} would need {in_units(needed)} on the disk, of which {in_units(room.free)} are free. Nothing was "
            "added. Free some space, or move the data folder to a larger disk and open it there with `--data`.",
        )


def in_units(size: int) -> str:
    """Return a number of bytes as readable text, in a suitable unit."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size / (1 << shift):,.1f} {unit}"
    return f"{size:,} bytes"
