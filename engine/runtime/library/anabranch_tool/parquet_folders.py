"""Finds folders whose Parquet files are one table that was written in parts, or partitioned by values in folder
names.
"""

import re
from collections.abc import Sequence
from pathlib import Path, PurePath

__all__ = ["parquet_folders", "part_groups"]

_PART = re.compile(
    r"(?i)(part|data|chunk|file|shard|split|batch|segment|block|piece)?[-_.]?"
    r"([0-9a-f]{8,}|\d+)([-_.]([0-9a-f-]+|of|c\d+|\d+))*([-_.](snappy|zstd|gz))?"
)
_APART = ("results",)
"""Folders at the root whose files are all separate tables."""


def parquet_folders(workspace: Path, files: Sequence[PurePath]) -> dict[str, tuple[str, ...]]:
    """Return the folders with at least two files that have the same columns, each with these files; all paths are
    relative.
    """
    return {
        root.as_posix(): tuple(sorted(part.as_posix() for part in parts))
        for root, parts in part_groups(files).items()
        if _one_shape(workspace, root, parts)
    }


def part_groups(files: Sequence[PurePath]) -> dict[PurePath, list[PurePath]]:
    """Return the folders that may each be one table, with their Parquet files.

    Only the names of the files and their subfolders are considered.
    """
    groups: dict[PurePath, list[PurePath]] = {}
    for file in files:
        root = file.parent
        while "=" in root.name:
            root = root.parent
        if root.parts[:1] not in [(name,) for name in _APART] and _is_part(file, root):
            groups.setdefault(root, []).append(file)
    return {root: parts for root, parts in groups.items() if len(parts) > 1}


def _is_part(file: PurePath, root: PurePath) -> bool:
    if file.parent != root:
        return True
    return root != PurePath() and _PART.fullmatch(file.stem) is not None


def _one_shape(workspace: Path, root: PurePath, parts: Sequence[PurePath]) -> bool:
    """Return whether files have the same columns, and the same keys in their folders' names."""
    import pyarrow as pa  # noqa: PLC0415 - half of what starting a command takes, and most do not get here
    import pyarrow.parquet as pq  # noqa: PLC0415

    keys = {tuple(name.partition("=")[0] for name in part.relative_to(root).parts[:-1]) for part in parts}
    if len(keys) > 1:
        return False
    try:
        schemas = [pq.read_schema(workspace / part).remove_metadata() for part in parts]
    except (pa.ArrowException, OSError):
        return False
    return all(schema.equals(schemas[0]) for schema in schemas)
