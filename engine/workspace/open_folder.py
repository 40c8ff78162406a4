"""An open folder whose entries are opened relative to its descriptor, so that a link planted by a tool is never
followed.

If the system cannot address files relative to an open folder (Windows), paths are used and checked for links first.
"""
# ruff: noqa: PTH101, PTH102, PTH104, PTH105, PTH118 -- pathlib has no words for names beside a descriptor

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TypedDict

__all__ = ["FolderTrail", "OpenFolder", "folder_trail", "open_root"]

_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)


class _Beside(TypedDict, total=False):
    dir_fd: int


class OpenFolder:
    """A folder. Most methods take the name of one of its entries, and raise OSError as functions of `os` do."""

    def __init__(self, path: Path | str, within: "OpenFolder | None" = None) -> None:
        self._path: str = os.fspath(path) if within is None else os.path.join(within._path, path)
        self._beside = _Beside()
        self.descriptor = -1
        if _BY_DESCRIPTOR:
            beside = _Beside() if within is None else within._beside
            self.descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINKS, **beside)
            self._beside = _Beside(dir_fd=self.descriptor)
        elif not stat.S_ISDIR(os.lstat(self._path).st_mode):
            raise NotADirectoryError(f"{self._path} is not a folder")

    def __enter__(self) -> "OpenFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def entries(self) -> "AbstractContextManager[Iterator[os.DirEntry[str]]]":
        """Scan the folder."""
        return os.scandir(self.descriptor if _BY_DESCRIPTOR else self._path)

    def folder(self, name: str) -> "OpenFolder":
        """Open the folder `name`, even if a tool removed its owner's rights; a link to a folder is refused."""
        try:
            return OpenFolder(name, self)
        except PermissionError:
            if not stat.S_ISDIR(self.status(name).st_mode):
                raise
            os.chmod(self._at(name), 0o700, **self._beside)
            return OpenFolder(name, self)

    def open_file(self, name: str) -> int:
        """Open the file `name` for reading, without waiting for the other end of a pipe."""
        flags = os.O_RDONLY | _NO_LINKS | _NO_WAITING | _BINARY
        try:
            return os.open(self._at(name), flags, **self._beside)
        except PermissionError:
            mode = self.status(name).st_mode
            if not stat.S_ISREG(mode) or mode & stat.S_IRUSR:
                raise
            os.chmod(self._at(name), stat.S_IMODE(mode) | stat.S_IRUSR, **self._beside)
            return os.open(self._at(name), flags, **self._beside)

    def create_file(self, name: str, executable: bool) -> int:
        """Create and open a new file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS | _BINARY
        return os.open(self._at(name), flags, 0o700 if executable else 0o600, **self._beside)

    def status(self, name: str) -> os.stat_result:
        """Return the `lstat` of an entry."""
        return os.lstat(self._at(name), **self._beside)

    def close_to_others(self, name: str, status: os.stat_result) -> os.stat_result:
        """Restrict a file or folder to its owner, and remove setuid and setgid; return its new status."""
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            with suppress(
                OSError
            ):  # removed since it was listed, replaced by a link, or not readable for its owner
                descriptor = os.open(self._at(name), os.O_RDONLY | _NO_LINKS | _NO_WAITING, **self._beside)
                try:
                    os.fchmod(descriptor, stat.S_IMODE(status.st_mode) & stat.S_IRWXU)
                finally:
                    os.close(descriptor)
                return self.status(name)
        return status

    def make_folder(self, name: str) -> None:
        """Make a folder."""
        self._insist(lambda: os.mkdir(self._at(name), 0o700, **self._beside))

    def remove_file(self, name: str) -> None:
        """Remove an entry that is not a folder."""
        self._insist(lambda: os.unlink(self._at(name), **self._beside))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        self._insist(lambda: os.rmdir(self._at(name), **self._beside))

    def remove_tree(self, name: str) -> None:
        """Remove an entry with everything below it. Nested folders are first moved to this folder, so any depth
        works."""
        if not stat.S_ISDIR(self.status(name).st_mode):
            self.remove_file(name)
            return
        ours = os.urandom(8).hex()
        waiting = [name]
        for number in count():
            if not waiting:
                return
            current = waiting.pop()
            with self.folder(current) as inner:
                waiting += inner._empty_into(self, f"{ours}-{number}")
            self.remove_folder(current)

    def _empty_into(self, other: "OpenFolder", prefix: str) -> list[str]:
        """Remove the files in this folder, and move its folders into `other`. Return the names that these folders have
        in `other`.
        """
        with self.entries() as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        moved = []
        for place, (name, is_folder) in enumerate(found):
            if not is_folder:
                self.remove_file(name)
                continue
            with self.folder(name) as below:
                below._allow_owner()  # a folder that its owner cannot write to cannot be moved
            source, target = self._at(name), other._at(f"{prefix}-{place}")
            if _BY_DESCRIPTOR:
                self._allow_owner()
                os.rename(source, target, src_dir_fd=self.descriptor, dst_dir_fd=other.descriptor)
            else:
                os.rename(source, target)
            moved.append(f"{prefix}-{place}")
        return moved

    def _allow_owner(self) -> None:
        if self.descriptor >= 0 and os.fstat(self.descriptor).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            os.fchmod(self.descriptor, 0o700)

    def move_in(self, source: Path, name: str) -> None:
        """Replace `name` with the file at `source`, atomically."""
        if _BY_DESCRIPTOR:
            self._insist(lambda: os.replace(source, name, dst_dir_fd=self.descriptor))
        else:
            os.replace(source, self._at(name))

    def _insist(self, change: Callable[[], None]) -> None:
        """Run `change`, even if a tool made the folder read-only."""
        try:
            change()
        except PermissionError:
            if self.descriptor < 0 or os.fstat(self.descriptor).st_mode & stat.S_IRWXU == stat.S_IRWXU:
                raise
            os.fchmod(self.descriptor, 0o700)
            change()

    def _at(self, name: str) -> str:
        return name if _BY_DESCRIPTOR else os.path.join(self._path, name)


def open_root(root: Path) -> OpenFolder:
    """Open a workspace, even if a tool has removed the owner's rights to it."""
    with OpenFolder(root.parent.resolve()) as parent:
        return parent.folder(root.name)


class FolderTrail:
    """Opens folders by path below a root. Folders that the next path shares with the last path stay open."""

    def __init__(self, root: Path) -> None:
        self._open: list[tuple[str, OpenFolder]] = []
        self._root = open_root(root)

    def folder(self, parts: list[str], *, create: bool = False) -> OpenFolder:
        """Open the folder at `parts`; with `create`, make missing folders and remove obstacles."""
        shared = 0
        while shared < min(len(parts), len(self._open)) and self._open[shared][0] == parts[shared]:
            shared += 1
        self._close_below(shared)
        for name in parts[shared:]:
            parent = self._open[-1][1] if self._open else self._root
            self._open.append((name, _folder_made(parent, name) if create else parent.folder(name)))
        return self._open[-1][1] if self._open else self._root

    def close(self) -> None:
        """Close every folder."""
        self._close_below(0)
        self._root.close()

    def _close_below(self, depth: int) -> None:
        while len(self._open) > depth:
            self._open.pop()[1].close()


def _folder_made(parent: OpenFolder, name: str) -> OpenFolder:
    try:
        return parent.folder(name)
    except FileNotFoundError:
        parent.make_folder(name)
    except OSError:  # a file or a link has this name
        parent.remove_file(name)
        parent.make_folder(name)
    return parent.folder(name)


@contextmanager
def folder_trail(root: Path) -> Iterator[FolderTrail]:
    """Yield a trail from `root`, and close it at the end of the block."""
    trail = FolderTrail(root)
    try:
        yield trail
    finally:
        trail.close()
