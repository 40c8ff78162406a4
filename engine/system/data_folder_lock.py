"""The lock on a data folder. One process writes; a second one gets an error that names it (LOG-8)."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Unavailable
from engine.system.private_files import own_folder
from events.log_files import DATABASE, JOURNAL

try:
    import fcntl
except ImportError:  # Windows: DuckDB's own lock on its file still keeps a second writer out
    fcntl = None  # type: ignore[assignment]

__all__ = ["DataFolderLock", "Holder", "held_by_another", "holder", "is_held", "is_ours"]

LOCK = "anabranch.lock"
_OURS = (LOCK, DATABASE, JOURNAL)
"""A folder with any of these files is an Anabranch data folder."""
_LENGTH = 512


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that has locked a data folder."""

    pid: int
    address: str | None = None
    """The address of its service, e.g. `http://127.0.0.1:8501`."""


class DataFolderLock:
    """This process's lock on `data`, held until `release` or the end of the process, however it ends."""

    def __init__(self, data: Path) -> None:
        """Lock the folder.

        Raises:
            Unavailable: another process has the lock (`log_held`), and the message names it; or others may enter the
                folder and this cannot be changed (`folder_exposed`).
        """
        own_folder(data, "The data folder", _OURS)
        self._path = data / LOCK
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if fcntl is not None:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(self._descriptor)
                raise held_by_another(data, holder(data)) from None
        self.tell(Holder(os.getpid()))

    def tell(self, known: Holder) -> None:
        """Record the process that has the lock, and its address."""
        text = json.dumps({"pid": known.pid, "address": known.address}).encode()
        os.pwrite(self._descriptor, text.ljust(_LENGTH), 0)  # always as long: a reader never sees half of it

    def release(self) -> None:
        """Release the lock. A second call does nothing."""
        if self._descriptor < 0:
            return
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
        self._descriptor = -1


def holder(data: Path) -> Holder | None:
    """Return the process that is recorded as having locked `data`; None if no process is recorded."""
    try:
        return Holder(**json.loads((data / LOCK).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def is_ours(data: Path) -> bool:
    """Return whether this user wrote the lock of `data`. Another user's lock could refer to that user's service."""
    try:
        found = (data / LOCK).stat()
    except OSError:
        return False
    return os.name != "posix" or found.st_uid == os.getuid()


def is_held(data: Path) -> bool:
    """Return whether a living process has locked `data`."""
    try:
        descriptor = os.open(data / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        if fcntl is None:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def held_by_another(data: Path, known: Holder | None) -> Unavailable:
    """Return the error that names the process with the lock."""
    who = f"process {known.pid}" if known else "another process"
    where = f", which serves {known.address}" if known and known.address else ""
    return Unavailable(
        "log_held",
        f"The data folder {data} is in use by {who}{where}. Use that process or end it, or give another folder with "
        "--data.",
    )
