"""Whether a folder holds data of ours, and whether it may be written: asked before anything is opened, or loaded."""

import os
from pathlib import Path

from engine.errors import NotFound

__all__ = ["is_read_only", "is_store", "require_store"]

_OURS = ("anabranch.duckdb", "anabranch.journal", "kept-journal")


def is_store(data: Path) -> bool:
    """Whether a log stands, or stood, in this folder."""
    return any((data / name).exists() for name in (*_OURS, "chats"))


def require_store(data: Path) -> None:
    """Refuse to look into a folder in which there is no log.

    Raises:
        NotFound: `data_not_found`.
    """
    if not is_store(data):
        raise NotFound(
            "data_not_found",
            f"There is no data of Anabranch in {data}, and looking makes none. `anabranch serve` or `anabranch ask` "
            "begins there; --data names another folder.",
        )


def is_read_only(data: Path) -> bool:
    """Whether this user may read the log in `data` and not write it."""
    return is_store(data) and not all(
        os.access(path, os.W_OK) for path in (data, *(data / name for name in _OURS)) if path.exists()
    )
