"""Names the tables of a state of the files. This is done in the engine, without a tool process and without parsing
content.

It uses the rules of the tools' library, so the engine and tool processes give the same names. Only a process can find
out whether several Parquet files have the same columns, because it must read them.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anabranch_tool import parquet_folders, table_names
else:  # in tool processes, the library is a separate package on sys.path; here it is a part of the engine
    table_names = import_module("engine.runtime.library.anabranch_tool.table_names")
    parquet_folders = import_module("engine.runtime.library.anabranch_tool.parquet_folders")

__all__ = ["likely_names", "names_of", "reserved_words"]

_BLANK = 1024
"""The size, in bytes, up to which a file is checked for containing only white space."""


def names_of(
    paths: Sequence[str], known: Mapping[str, Sequence[str | None]], folder: Path
) -> dict[str, Any] | None:
    """Return the same result as `anabranch_tool.table_cache.type_new`, for files that are already typed.

    `known` contains the sheets of typed files; the list is empty for files that could not be typed. Returns None if
    Parquet files must be read.
    """
    seen = [path for path in map(PurePosixPath, paths) if not table_names.is_hidden(path)]
    parquet = [path for path in seen if table_names.kind_of(path.name) == "parquet"]
    if parquet_folders.part_groups(parquet):
        return None
    unread = {path.as_posix(): "it is empty" for path in parquet if _is_empty(folder / path)}
    sheets: dict[str, Sequence[str | None]] = {
        path.as_posix(): known.get(path.as_posix(), [None] if path in parquet else [])
        for path in seen
        if path.as_posix() not in unread
    }
    found = table_names.name_tables(sheets, {})
    return {"unread": unread, "names": [[t.path, t.sheet, t.name, t.kind, list(t.parts)] for t in found]}


def likely_names(paths: Iterable[str]) -> dict[str, str]:
    """Return name → path for the tables of these files, assuming that each file is one table."""
    return {table.name: table.path for table in table_names.name_tables({path: [None] for path in paths}, {})}


def reserved_words() -> frozenset[str]:
    """Return the words that SQL does not accept as a name without quotes."""
    words: frozenset[str] = table_names.reserved_words()
    return words


def _is_empty(file: Path) -> bool:
    size = file.stat().st_size
    return size == 0 or (size <= _BLANK and not file.read_bytes().strip())
