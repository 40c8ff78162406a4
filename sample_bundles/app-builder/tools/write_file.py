"""Writes one text file of the workspace, whole or not at all."""

import os
from pathlib import Path
from typing import Any

from tools.inside import inside, shown

LARGEST = 10_000_000
"""Bytes of one file."""


def run(workspace: Path, path: str, content: str) -> dict[str, Any]:
    """Write `content` and tell what was written; an executable file stays one."""
    data = content.encode("utf-8")
    if len(data) > LARGEST:
        raise ValueError(f"the text has {len(data):,} bytes; one file may have {LARGEST:,}")
    file = inside(workspace, path)
    if file.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it")
    replaced = file.exists()
    mode = file.stat().st_mode & 0o777 if replaced else 0o644
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.writing")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), mode)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(data)
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return {"file": shown(workspace, file), "size": len(data), "replaced": replaced}
