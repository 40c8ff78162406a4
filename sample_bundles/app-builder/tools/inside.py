"""Turns text into a path that is certain to be inside the workspace."""

from pathlib import Path, PurePosixPath

__all__ = ["inside", "shown"]


def inside(workspace: Path, path: str) -> Path:
    """Return the workspace file that `path` names; it need not exist.

    Raises:
        ValueError: the path is empty or absolute, leads out of the workspace, or passes through a link.
    """
    pure = PurePosixPath(path)
    if "\\" in path or "\0" in path or pure.is_absolute() or not pure.parts or ".." in pure.parts:
        raise ValueError(f"{path!r} is not a path in the workspace; write one such as app/main.py")
    target = workspace
    for part in pure.parts:
        target = target / part
        if target.is_symlink():
            raise ValueError(f"{path!r} passes through a link, which is not followed; name the file itself")
    return target


def shown(workspace: Path, file: Path) -> str:
    """Return a file's path relative to the workspace, which is how the chat names it."""
    return file.relative_to(workspace).as_posix()
