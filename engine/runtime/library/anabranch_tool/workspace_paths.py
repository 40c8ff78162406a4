"""Paths in the workspace; no `..` and no link can lead out of it. Standard library only."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

__all__ = ["existing_file", "files_below", "inside", "make_folders", "what_is_there"]


def inside(workspace: Path, path: str) -> Path:
    """Return the place of `path` in the workspace.

    Raises:
        ValueError: `path` is not a path in the workspace.
        OSError: one of its folders is a file or a link.
    """
    parts = path.removeprefix("./").split("/")
    if (
        not path
        or "\0" in path
        or "\\" in path
        or not all(parts)
        or any(part in (".", "..") for part in parts)
    ):
        raise ValueError(f"{path!r} is not a path in the workspace. Use one like 'folder/name.csv'.")
    place = workspace
    for part in parts[:-1]:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise NotADirectoryError(f"{part!r} in {path!r} is not a folder. {what_is_there(workspace)}")
    return place / parts[-1]


def existing_file(workspace: Path, path: str) -> Path:
    """Return the full path of an existing file in the workspace.

    Raises:
        OSError: there is no such file (the error lists the files that exist), or it is a folder, a link or a device.
        ValueError: `path` is not a path in the workspace.
    """
    target = inside(workspace, path)
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path!r}. {what_is_there(workspace)}") from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path!r} is a folder; list_files shows what is in it.")
    if not stat.S_ISREG(mode):
        raise PermissionError(f"{path!r} is a link or a device, so it is not read.")
    return target


def make_folders(workspace: Path, folder: Path, path: str) -> None:
    """Make `folder`, which will contain the file `path`, and the folders above it; raise OSError if one is a link."""
    place = workspace
    for part in folder.relative_to(workspace).parts:
        place /= part
        place.mkdir(exist_ok=True)
        if place.is_symlink():
            raise NotADirectoryError(f"{part!r} in {path!r} is a link, and links are not followed.")


def files_below(workspace: Path, folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the paths of the files below `folder`, with their sizes in bytes; links are left out."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from files_below(workspace, Path(entry.path))
            elif entry.is_file(follow_symlinks=False) and _readable(entry.name):
                name = Path(entry.path).relative_to(workspace).as_posix()
                yield name, entry.stat(follow_symlinks=False).st_size


def _readable(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def what_is_there(workspace: Path) -> str:
    """Return a list of the workspace's files in words, for errors."""
    names = sorted(name for name, _ in files_below(workspace, workspace))
    if not names:
        return "The workspace is empty."
    return (
        "The files are: "
        + ", ".join(names[:20])
        + (f" and {len(names) - 20} more." if len(names) > 20 else ".")
    )
