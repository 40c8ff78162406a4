"""Checks whether a folder contains Anabranch data and can be written to. It loads fast, so every command can use it."""

import os
from pathlib import Path

from engine.errors import NotFound
from engine.system.private_files import DATA_FOLDER, require_usable
from events.log_files import DATABASE, JOURNAL, KEPT

__all__ = ["is_read_only", "is_store", "require_store"]

_OURS = (DATABASE, JOURNAL, KEPT)


def is_store(data: Path) -> bool:
    """Return whether this folder contains a log, or the remains of one."""
    return any(os.path.exists(data / name) for name in (*_OURS, "chats"))  # noqa: PTH110 - never raises OSError


def require_store(data: Path) -> None:
    """Raise an error if a folder does not contain a log.

    Raises:
        NotFound: there is no log (`data_not_found`).
        Unavailable: the path is not a folder, or cannot be used (`folder_unusable`).
    """
    require_usable(data, DATA_FOLDER)
    if not is_store(data):
        raise NotFound(
            "data_not_found",
            f"There is no data in {data}. `anabranch serve` or `anabranch ask` creates it; choose another folder with "
            "--data.",
        )


def is_read_only(data: Path) -> bool:
    """Return whether `data` contains a log to which this user cannot write."""
    return is_store(data) and not all(
        os.access(path, os.W_OK) for path in (data, *(data / name for name in _OURS)) if path.exists()
    )
