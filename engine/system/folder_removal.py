"""Removes folders that tools wrote to, even if they are deeply nested, access-restricted or full of entries."""

import contextlib
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

__all__ = ["remove_tree"]


def remove_tree(folder: Path) -> None:
    """Remove `folder` and everything in it, as far as the system allows. Nothing may write to it at the same time.

    Before a folder is removed, its subfolders are moved to the top. So no path is longer than two names, and any depth
    can be removed. Links are removed, not followed.
    """
    top = os.fspath(folder)
    ours = os.urandom(8).hex()  # random, so that no tool can have used this name
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
    """Remove everything except folders, and return the paths of the folders."""
    folders = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108
    return iter(folders)
