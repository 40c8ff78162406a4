"""Reads a folder as the tools do, for tests of the reader."""

import sys
from pathlib import Path
from typing import Any

from tests.support.ask_offline import ROOT

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.tables import open_tables, profile

__all__ = ["only_table", "queried", "types"]


def only_table(workspace: Path) -> dict[str, Any]:
    """Return the profile of the folder's only table."""
    (table,) = profile(workspace)["tables"]
    return dict(table)


def types(workspace: Path) -> dict[str, str]:
    """Return the type of each column of the only table."""
    return {column["name"]: column["type"] for column in only_table(workspace)["columns"]}


def queried(workspace: Path, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query over the folder's tables."""
    opened = open_tables(workspace)
    try:
        return list(opened.connection.execute(sql).fetchall())
    finally:
        opened.close()
