"""Reads lines of a text file: the same contract as the built-in `read_file`."""

from pathlib import Path
from typing import Any

from anabranch_tool.files import read_file


def run(workspace: Path, path: str, offset: int = 0, limit: int = 500) -> dict[str, Any]:
    """See `anabranch_tool.files.read_file`."""
    return read_file(workspace, path, offset, limit)
