"""Profiles of the tables that are new: what the engine keeps by a file's hash is not computed again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anabranch_tool import tables

__all__ = ["profile_new"]


def profile_new(workspace: Path, known: Sequence[str]) -> dict[str, Any]:
    """Profile the tables of `workspace` but those of the paths `known`, and name all of them.

    Returns what `tables.profile` does, and `names`: path, sheet and SQL name of every table.
    """
    found = tables.find_table_files(workspace)
    looked_at = {table.path for table in found} | set(tables.tableless_files(workspace))
    wanted = sorted(looked_at - set(known))
    profiled: dict[str, Any] = {"tables": [], "unread": {}}
    if wanted:
        profiled = tables.profile(workspace, only=wanted)
    return {**profiled, "names": [[table.path, table.sheet, table.name] for table in found]}
