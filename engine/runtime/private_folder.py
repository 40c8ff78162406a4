"""The private folder of a call, for HOME and temporary files: created for the call, and removed later."""

import contextlib
import tempfile
import time
from pathlib import Path

from engine.system.folder_removal import remove_tree

__all__ = ["new_private_folder", "sweep"]

_PREFIX = "anabranch-call-"
_FORGOTTEN = 86_400
"""If a call's private folder is older than this many seconds, it was left behind by a killed engine."""


def new_private_folder() -> Path:
    """Make a folder that only this user can enter."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX))


def sweep() -> None:
    """Remove the folders of killed engines."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_mtime < time.time() - _FORGOTTEN:
                remove_tree(folder)
