"""The private folder of a call, for HOME and temporary files: made for the call, and removed whatever it left there."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

__all__ = ["new_private_folder", "remove_all", "sweep"]

_PREFIX = "anabranch-call-"
_FORGOTTEN = 86_400
"""Seconds after which a call's private folder must be one that a killed engine left behind."""


def new_private_folder() -> Path:
    """Make one that only this user can enter."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX))


def sweep() -> None:
    """Remove what killed engines left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_mtime < time.time() - _FORGOTTEN:
                remove_all(folder)


def remove_all(folder: Path) -> None:
    """Remove `folder` with all below it, as far as the system lets us; nobody may write to it meanwhile.

    A folder's own folders are moved to the top before it is removed, so that no path is longer than two names and no
    depth is too deep. Links are removed, not followed.
    """
    top = os.fspath(folder)
    ours = os.urandom(8).hex()  # no name that a tool could have used
    names = (f"{top}/{ours}-{number}" for number in count())
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    waiting = [top]
    while waiting:
        inner = waiting.pop()
        for child in _emptied(inner):
            moved = next(names)
            with contextlib.suppress(OSError):
                os.chmod(child, 0o700)  # noqa: PTH101 -- there may be very many
                os.rename(child, moved)  # noqa: PTH104
                waiting.append(moved)
        if inner != top:
            with contextlib.suppress(OSError):
                os.rmdir(inner)  # noqa: PTH106
    with contextlib.suppress(OSError):
        folder.rmdir()


def _emptied(folder: str) -> Iterator[str]:
    """Remove what is no folder, and return the paths of the folders."""
    folders = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108
    return iter(folders)
