"""Finds the files of a workspace that are tables."""

import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from anabranch_tool import read_excel, read_sqlite
from anabranch_tool.parquet_folders import parquet_folders
from anabranch_tool.read_csv import CsvFile
from anabranch_tool.table_names import TableFile, by_nearness, is_hidden, kind_of, name_tables, sql_name

__all__ = [
    "TableFile",
    "find_table_files",
    "kind_of",
    "sheets_in",
    "sql_name",
    "tableless_files",
    "tabular_paths",
]

_BLANK = 1024
"""Files with at most this many bytes are checked for containing only white space."""
_TEXT_UP_TO = 64 << 20
"""A text file with more bytes is not examined to find out whether it is a table."""


def _tabular(workspace: Path, only: Collection[str] | None = None) -> list[tuple[PurePosixPath, str]]:
    """Return the path in the workspace and the kind of each file that looks like a table; hidden files are left out."""
    found: list[tuple[PurePosixPath, str]] = []
    # if files are named, only these are checked: listing a folder of 20,000 files for each of them would take hours
    for file in workspace.rglob("*") if only is None else map(workspace.joinpath, only):
        relative = PurePosixPath(file.relative_to(workspace).as_posix())
        kind = kind_of(file.name)
        if kind is not None and not is_hidden(relative) and file.is_file() and not file.is_symlink():
            found.append((relative, kind))
    return sorted(found, key=lambda item: by_nearness(item[0]))


def _is_empty(file: Path) -> bool:
    size = file.stat().st_size
    return size == 0 or (size <= _BLANK and not file.read_bytes().strip())


def tabular_paths(workspace: Path) -> set[str]:
    """Return the files under `workspace` that may be tables, judging by their names."""
    return {relative.as_posix() for relative, _ in _tabular(workspace)}


def find_table_files(
    workspace: Path,
    known: Mapping[str, Sequence[str | None]] | None = None,
    taken: Collection[str] = (),
    without: Collection[str] = (),
) -> list[TableFile]:
    """List the tabular files under `workspace`, except hidden and empty ones, each with a unique SQL name.

    `known` contains sheets by path (`[None]` for a file that is one table), so that these files are not opened; names
    in `taken` are not used, and files in `without` are omitted.
    """
    tabular = _tabular(workspace)
    folders = parquet_folders(workspace, [path for path, kind in tabular if kind == "parquet"])
    sheets: dict[str, Sequence[str | None]] = {}
    for relative, kind in tabular:
        path = relative.as_posix()
        if path not in without and not _is_empty(workspace / relative):
            found = (known or {}).get(path)
            sheets[path] = sheets_in(workspace / relative, kind) if found is None else found
    return name_tables(sheets, folders, taken)


def sheets_in(file: Path, kind: str) -> list[str | None]:
    """Return the sheets or tables in a file; `[None]` for a file that is a table itself."""
    if kind == "excel":
        return [sheet.name for sheet in read_excel.sheets(file)]
    if kind == "sqlite":
        return list(read_sqlite.database_tables(file))
    if kind == "text":
        return [None] if _is_clear_text(file) else []
    return [None]


def _is_clear_text(file: Path) -> bool:
    if file.stat().st_size > _TEXT_UP_TO:
        return False
    with tempfile.TemporaryDirectory() as folder:
        try:
            return CsvFile(file, Path(folder)).is_clear()
        except (ValueError, OSError):
            return False


def tableless_files(workspace: Path, only: Collection[str] | None = None) -> dict[str, str]:
    """Return path → the reason why a file that looks like a table is not a table, if this is known without reading
    rows."""
    found: dict[str, str] = {}
    for relative, kind in _tabular(workspace, only):
        path, file = relative.as_posix(), workspace / relative
        reason = _why_no_table(file, kind)
        if reason is not None:
            found[path] = reason
    return found


def _why_no_table(file: Path, kind: str) -> str | None:
    if kind == "text":
        return None
    if _is_empty(file):
        return "it is empty"
    if kind == "sqlite":
        return read_sqlite.why_not_a_database(file)
    if kind == "excel" and not read_excel.sheets(file):
        return "none of its sheets contains a table" if read_excel.opens(file) else "it is not a workbook"
    return None
