"""The SQL names of a workspace's tables. Needs only paths and sheets, never the content of a file.

Both the tool processes and the engine use it. The same files always get the same names: of the files with the same
stem, the file nearest to the root gets the stem as its name, and the other files get the stem with their folder's name
in front.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

__all__ = ["TableFile", "by_nearness", "is_hidden", "kind_of", "name_tables", "reserved_words", "sql_name"]

_KINDS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".psv": "csv", ".csv.gz": "csv", ".tsv.gz": "csv",
    ".txt": "text", ".txt.gz": "text",
    ".parquet": "parquet", ".pq": "parquet",
    ".json": "json", ".json.gz": "json", ".jsonl": "json", ".ndjson": "json", ".jsonl.gz": "json", ".ndjson.gz": "json",
    ".xlsx": "excel", ".xlsm": "excel", ".xlsb": "excel", ".xls": "excel", ".ods": "excel",
    ".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db3": "sqlite",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrow",
    ".link": "link",
}  # fmt: skip
_RESERVED = frozenset(
    """
    all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check
    collate collation column columns concurrently constraint create cross default deferrable desc describe distinct
    do else end except false fetch for foreign freeze from full generated glob group having ilike in initially inner
    intersect into is isnull join lambda lateral leading left like limit map natural not notnull null offset on only
    or order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning
    right select semi show similar some struct summarize symmetric table tablesample then to trailing true try_cast
    tuple union unique unpack unpivot using variadic verbose when where window with
    """.split()  # noqa: SIM905 -- a list of one word a line would fill pages
)
"""DuckDB's keywords of the categories `reserved` and `type_function`; reading them from DuckDB would need a
connection.
"""
_ENDINGS = sorted(_KINDS, key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class TableFile:
    """One table that could be read: a file, a sheet or table in it, or a folder of Parquet files."""

    name: str
    """The name in SQL."""
    path: str
    """The path relative to the workspace, with `/`."""
    kind: str
    """The kind: `csv`, `text`, `parquet`, `json`, `excel`, `sqlite`, `arrow` or `link`."""
    sheet: str | None = None
    """The sheet of a workbook, or the table of a database."""
    parts: tuple[str, ...] = ()
    """The files in a folder of Parquet files."""


def kind_of(name: str) -> str | None:
    """Return the kind of table that a file with this name may be; None if it cannot be a table."""
    return _split(name)[1]


def _split(name: str) -> tuple[str, str | None]:
    lowered = name.lower()
    ending = next(
        (ending for ending in _ENDINGS if lowered.endswith(ending) and len(name) > len(ending)), None
    )
    return (name, None) if ending is None else (name[: -len(ending)], _KINDS[ending])


def is_hidden(path: PurePosixPath) -> bool:
    """Return whether a file or one of its folders is hidden, or the file is the lock file of an office program."""
    return any(part.startswith((".", "~$")) for part in path.parts)


def by_nearness(path: PurePosixPath) -> tuple[int, str]:
    """Return a sort key that puts files near the root first."""
    return len(path.parts), path.as_posix()


def reserved_words() -> frozenset[str]:
    """Return the words that SQL does not accept as a table's name without quotes."""
    return _RESERVED


def sql_name(text: str, reserved: frozenset[str] = frozenset()) -> str:
    """Convert a file's stem to a name that SQL accepts without quotes, e.g. `seattle-weather` → `seattle_weather`."""
    name = re.sub(r"\W+", "_", text.strip().lower()).strip("_") or "data"
    if name[0].isdigit():
        name = f"t_{name}"
    return f"{name}_data" if name in reserved else name


def name_tables(
    sheets: Mapping[str, Sequence[str | None]],
    folders: Mapping[str, tuple[str, ...]],
    taken: Collection[str] = (),
) -> list[TableFile]:
    """Return the tables of files by path, each with a unique name that is not in `taken`.

    `sheets` contains the sheets of each file (`[None]` for a file that is one table), `folders` the folders whose
    Parquet files are one table, with these files.
    """
    reserved, used = reserved_words(), set(taken)
    in_folder = {part: folder for folder, parts in folders.items() for part in parts}
    tables: list[TableFile] = []
    for relative in sorted(map(PurePosixPath, sheets), key=by_nearness):
        path = relative.as_posix()
        if path in in_folder:
            folder = in_folder[path]
            if path == folders[folder][0]:
                at = PurePosixPath(folder)
                name = _free(at.name or "data", at / "x", reserved, used)
                tables.append(TableFile(name, folder, "parquet", None, folders[folder]))
            continue
        stem, kind = _split(relative.name)
        for sheet in sheets[path]:
            label = _label(stem, kind or "csv", sheet, len(sheets[path]))
            name = _free(label, relative, reserved, used, stem)
            tables.append(TableFile(name, path, kind or "csv", sheet))
    return tables


def _label(stem: str, kind: str, sheet: str | None, of: int) -> str:
    if sheet is None:
        return stem
    return sheet if kind == "sqlite" else stem if of == 1 else f"{stem}_{sheet}"


def _free(
    label: str, relative: PurePosixPath, reserved: frozenset[str], taken: set[str], stem: str = ""
) -> str:
    name = sql_name(label, reserved)
    if name in taken and stem and not label.startswith(stem):
        name = sql_name(f"{stem}_{label}", reserved)
    if name in taken and len(relative.parts) > 1:
        name = sql_name("_".join([*relative.parts[:-1], label]), reserved)
    if name in taken:
        name = sql_name(f"{label}_{relative.suffix.lstrip('.')}", reserved)
    number, base = 2, name
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name
