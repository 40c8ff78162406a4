"""Writes a text file: the same contract as the built-in `write_file`."""

from pathlib import Path
from typing import Any

from anabranch_tool.files import write_file


def run(workspace: Path, path: str, content: str, append: bool = False) -> dict[str, Any]:
    """See `anabranch_tool.files.write_file`."""
    return write_file(workspace, path, content, append)
