"""The lock on a data folder. One process writes; a second one gets an error that names it (LOG-8)."""

import json
import os
import time
from dataclasses import asdict
from pathlib import Path

from engine.errors import Unavailable
from engine.system.private_files import DATA_FOLDER, own_folder
from events.late_dataclass import dataclass
from events.log_files import DATABASE, JOURNAL

try:
    import fcntl
except ImportError:  # Windows: a second writer is still kept out by DuckDB's lock on its file
    fcntl = None  # type: ignore[assignment]

__all__ = ["DataFolderLock", "Holder", "held_by_another", "holder", "is_held", "is_ours"]

LOCK = "anabranch.lock"
_OURS = (LOCK, DATABASE, JOURNAL)
"""A folder with any of these files is an Anabranch data folder."""
_LENGTH = 512
_ATTEMPTS, _LOOK = 5, 0.02
"""The number of attempts to get the lock if another process has it, and the seconds between two attempts."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that has locked a data folder."""

    pid: int
    address: str | None = None
    """The address of its service, e.g. `http://127.0.0.1:8501`."""
    serves: bool = False
    """Whether the process is an app. An app without an address is still starting, or is ending."""

    @property
    def is_between(self) -> bool:
        """Whether the process is an app that is starting or ending, and therefore has no address."""
        return self.serves and not self.address


class DataFolderLock:
    """This process's lock on `data`, held until `release` or the end of the process, however it ends."""

    def __init__(self, data: Path, *, serves: bool = False) -> None:
        """Lock the folder; `serves` says whether this process is an app that is starting.

        Raises:
            Unavailable: another process has the lock (`log_held`, `app_starting`), and the message names it; or the
                folder cannot be used (`folder_unusable`); or others may enter it and this cannot be changed
                (`folder_exposed`).
        """
        own_folder(data, DATA_FOLDER, _OURS)
        self._descriptor = os.open(data / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if fcntl is not None and not _locked(self._descriptor):
            os.close(self._descriptor)
            raise held_by_another(data, holder(data))
        self.tell(Holder(os.getpid(), serves=serves))

    @classmethod
    def handed_on(cls, descriptor: int) -> "DataFolderLock":
        """Return the lock that this process acquired when it still ran the previous program; see `hand_on`."""
        lock = cls.__new__(cls)
        lock._descriptor = descriptor
        os.set_inheritable(descriptor, False)
        return lock

    def hand_on(self) -> int:
        """Keep the lock when this process becomes another program. Return the descriptor, which that program passes to
        `handed_on`.
        """
        os.set_inheritable(self._descriptor, True)
        return self._descriptor

    def tell(self, known: Holder) -> None:
        """Record the process that has the lock, and its address. Does nothing once the lock is released."""
        if self._descriptor < 0:
            return
        text = json.dumps(asdict(known)).encode()
        # always the same length, so that no reader sees half of it
        os.pwrite(self._descriptor, text.ljust(_LENGTH), 0)

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
        fcntl.flock(
            descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB
        )  # a shared lock, so that two checks can overlap
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _locked(descriptor: int) -> bool:
    """Lock the file, and return whether that succeeded.

    Tries several times, because a check in `is_held` locks the file for a moment.
    """
    for _ in range(_ATTEMPTS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_LOOK)
        else:
            return True
    return False


def held_by_another(data: Path, known: Holder | None) -> Unavailable:
    """Return the error that names the process with the lock."""
    if known is not None and known.is_between:
        return Unavailable(
            "app_starting",
            f"The data folder {data} is in use by process {known.pid}, an app that is starting or shutting down. Try "
            "again in a moment, or give another folder with --data.",
        )
    who = f"process {known.pid}" if known else "another process"
    where = f", which serves {known.address}" if known and known.address else ""
    return Unavailable(
        "log_held",
        f"The data folder {data} is in use by {who}{where}. Use that process or end it, or give another folder with "
        "--data.",
    )
