"""Reads a text file of the workspace, as much of it as a model can use."""

from pathlib import Path
from typing import Any

from tools.inside import inside, shown

LARGEST = 50_000_000
"""Bytes that are looked at."""
RETURNED = 200_000
"""Characters that come back."""


def run(workspace: Path, path: str, first_line: int = 1, lines: int | None = None) -> dict[str, Any]:
    """Return the text, or `lines` lines from `first_line` on, and how much there is."""
    file = inside(workspace, path)
    if not file.is_file():
        there = sorted(shown(workspace, found) for found in workspace.rglob("*") if found.is_file())[:20]
        raise FileNotFoundError(
            f"the workspace has no file {path}; there is {', '.join(there) or 'none yet'}"
        )
    if file.stat().st_size > LARGEST:
        raise ValueError(f"{path} has more than {LARGEST:,} bytes; read it with a query or a script")
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a UTF-8 text; it cannot be shown as text") from None
    every = text.splitlines(keepends=True)
    last = len(every) if lines is None else first_line - 1 + lines
    wanted = "".join(every[first_line - 1 : last])
    return {
        "file": shown(workspace, file),
        "content": wanted[:RETURNED],
        "first_line": first_line,
        "total_lines": len(every),
        "truncated": len(wanted) > RETURNED,
    }
