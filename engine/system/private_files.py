"""Files that only their owner may read: the data folder, the configuration folder, and everything in them.

Databases, interpreters, pip and tool processes create files with the process's umask, so the umask makes all of them
private from the start. Files that the user requests in other places are created with the user's own umask.
"""

import logging
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import Unavailable

__all__ = [
    "CONFIG_FOLDER",
    "DATA_FOLDER",
    "absolute_folder",
    "keep_files_private",
    "own_folder",
    "require_usable",
    "restore_umask",
    "shared_paths",
    "users_mode",
]

CONFIG_FOLDER = "The folder with your keys"
DATA_FOLDER = "The data folder"
"""The name of the folder in messages, at the start of a sentence; `CONFIG_FOLDER` names the other folder."""
_log = logging.getLogger("anabranch.private")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_PRIVATE = 0o077
_before: list[int] = []
"""The user's umask; empty until `keep_files_private` is called."""


def keep_files_private() -> None:
    """Make every file and folder that this process and its children create from now on private to the user."""
    earlier = os.umask(_PRIVATE)
    if not _before:
        _before.append(earlier)


def restore_umask() -> None:
    """Restore the user's umask in this process. Call it before the process starts or becomes one of the user's
    programs."""
    if _before:
        os.umask(_before[0])


def users_mode(*, folder: bool = False) -> int:
    """Return the mode for a file or folder that Anabranch creates outside the data folder at the user's request."""
    return (0o777 if folder else 0o666) & ~(_before[0] if _before else 0o022)


def own_folder(folder: Path, what: str, ours: Collection[str] = ()) -> None:
    """Create `folder`, or make it and the entries directly in it private. `what` names the folder at the start of a
    sentence: `DATA_FOLDER` or `CONFIG_FOLDER`.

    A folder that others may enter is made private only if it is empty or contains one of the names in `ours`; if `ours`
    is empty, it is always made private.

    Raises:
        Unavailable: the path is not a folder, or the folder cannot be created or used (`folder_unusable`); or others
            may enter the folder, and it cannot or must not be made private (`folder_exposed`).
    """
    keep_files_private()
    require_usable(folder, what)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise _unusable(folder, what, f"it cannot be created ({error.strerror or error})") from None
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid() and os.geteuid() != 0:
        raise _exposed(folder, what, "it belongs to another user of this machine")
    if found.st_mode & _OTHERS:
        _require_own(folder, what, found, ours)
        _close(folder, what)
    for path in _exposed_in(folder):
        # the entry is gone or belongs to another user; its folder is private in any case
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                os.fchmod(descriptor, stat.S_IMODE(os.fstat(descriptor).st_mode) & stat.S_IRWXU)
            finally:
                os.close(descriptor)


def absolute_folder(path: Path, what: str) -> Path:
    """Return the full path of a folder that the user named; `what` is `DATA_FOLDER` or `CONFIG_FOLDER`.

    Raises:
        Unavailable: there is no such user, or no current folder (`folder_unusable`).
    """
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise _unusable(path, what, f"{path.parts[0]} has no home folder") from None
    except FileNotFoundError:
        raise _unusable(path, what, "the current folder was deleted") from None


def require_usable(folder: Path, what: str) -> None:
    """Raise an error if `folder` exists but cannot be used as a folder, or if its name cannot be stored.

    Raises:
        Unavailable: with the code `folder_unusable`.
    """
    try:
        str(folder).encode()
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except FileNotFoundError:
        return
    except UnicodeEncodeError:
        shown = os.fsencode(folder).decode("utf-8", "backslashreplace")
        raise _unusable(Path(shown), what, "its path is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise _unusable(folder, what, str(getattr(error, "strerror", error))) from None
    if not is_folder:
        raise _unusable(folder, what, "it is not a folder")


def shared_paths(folder: Path) -> list[Path]:
    """Return the folder and the entries directly in it that others may read, write or enter."""
    if os.name != "posix" or not folder.is_dir():
        return []
    own = [folder] if folder.stat().st_mode & _OTHERS else []
    return [*own, *_exposed_in(folder)]


def _require_own(folder: Path, what: str, found: os.stat_result, ours: Collection[str]) -> None:
    if found.st_mode & stat.S_ISVTX:
        raise _exposed(folder, what, "it is shared by all users of this machine")
    names = {path.name for path in folder.iterdir()} - {"lost+found"}
    if ours and names and names.isdisjoint(ours):
        raise _exposed(
            folder, what, "it contains files that are not Anabranch's, so its permissions were not changed"
        )


def _close(folder: Path, what: str) -> None:
    try:
        folder.chmod(0o700)
    except OSError as error:
        raise _exposed(folder, what, f"its permissions could not be changed ({error.strerror})") from None
    if folder.stat().st_mode & _OTHERS:
        raise _exposed(folder, what, "its file system does not store permissions")
    _log.warning("%s %s was accessible to other users of this machine. It is private now.", what, folder)


def _exposed_in(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        with suppress(OSError):
            found = path.lstat()
            if found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
                yield path


def _unusable(folder: Path, what: str, why: str) -> Unavailable:
    way = "Choose another with --data." if what == DATA_FOLDER else "Set ANABRANCH_CONFIG to another folder."
    return Unavailable("folder_unusable", f"{what} {folder} cannot be used: {why}. {way}")


def _exposed(folder: Path, what: str, why: str) -> Unavailable:
    return Unavailable(
        "folder_exposed",
        f"{what} {folder} can be opened by other users, and {why}. Choose a folder of your own, with mode 700.",
    )
