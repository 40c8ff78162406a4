"""Which files of a workspace are tables, and by what names SQL knows them.

Names depend on the paths alone, so the same workspace always gives the same names: the nearest file to the
root keeps its bare stem, and one that clashes with it takes its folder's name in front.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import duckdb

from anabranch_tool import table_excel

__all__ = ["TableFile", "find_table_files", "sql_name", "tableless_files"]

_KINDS = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".json.gz": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}

_BLANK = 1024
"""Bytes up to which a file is looked at for whether it holds nothing but space."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """One table that could be read: a file, or one sheet of a workbook."""

    name: str
    """The name in SQL."""
    path: str
    """Relative to the workspace, with `/`."""
    kind: str
    """`csv`, `parquet`, `json` or `excel`."""
    sheet: str | None = None


def _split(name: str) -> tuple[str, str | None]:
    lowered = name.lower()
    for ending in sorted(_KINDS, key=len, reverse=True):
        if lowered.endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)], _KINDS[ending]
    return name, None


@lru_cache(maxsize=1)
def _reserved() -> frozenset[str]:
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        ).fetchall()
    return frozenset(row[0] for row in rows)


def sql_name(text: str, reserved: frozenset[str] = frozenset()) -> str:
    """Turn a file's stem into a name that SQL takes without quotes, e.g. `seattle-weather` → `seattle_weather`."""
    name = re.sub(r"\W+", "_", text.strip().lower()).strip("_") or "data"
    if name[0].isdigit():
        name = f"t_{name}"
    return f"{name}_data" if name in reserved else name


def _tabular(workspace: Path) -> list[tuple[Path, str, str]]:
    """The files that look like tables: path in the workspace, stem and kind; hidden ones are left out."""
    found: list[tuple[Path, str, str]] = []
    for file in workspace.rglob("*"):
        relative = file.relative_to(workspace)
        if any(part.startswith((".", "~$")) for part in relative.parts) or file.is_symlink():
            continue
        stem, kind = _split(file.name)
        if kind is not None and file.is_file():
            found.append((relative, stem, kind))
    return sorted(found, key=lambda item: (len(item[0].parts), item[0].as_posix()))


def _is_empty(file: Path) -> bool:
    size = file.stat().st_size
    return size == 0 or (size <= _BLANK and not file.read_bytes().strip())


def find_table_files(workspace: Path) -> list[TableFile]:
    """List the tabular files under `workspace`, hidden and empty ones left out, each with its own SQL name."""
    reserved = _reserved()
    taken: set[str] = set()
    tables: list[TableFile] = []
    for relative, stem, kind in _tabular(workspace):
        if _is_empty(workspace / relative):
            continue
        for sheet in table_excel.sheets(workspace / relative) if kind == "excel" else [None]:
            label = stem if sheet is None or sheet.alone else f"{stem}_{sheet.name}"
            name = _free(label, relative, reserved, taken)
            tables.append(TableFile(name, relative.as_posix(), kind, None if sheet is None else sheet.name))
    return tables


def tableless_files(workspace: Path) -> dict[str, str]:
    """Why files that look like tables cannot be any: path → reason, where that needs no reading of rows."""
    found: dict[str, str] = {}
    for relative, _, kind in _tabular(workspace):
        file = workspace / relative
        if _is_empty(file):
            found[relative.as_posix()] = "it is empty"
        elif kind == "excel" and not table_excel.sheets(file):
            found[relative.as_posix()] = (
                "none of its sheets holds a table" if table_excel.opens(file) else "it is not a workbook"
            )
    return found


def _free(label: str, relative: Path, reserved: frozenset[str], taken: set[str]) -> str:
    name = sql_name(label, reserved)
    if name in taken and len(relative.parts) > 1:
        name = sql_name("_".join([*relative.parts[:-1], label]), reserved)
    if name in taken:
        name = sql_name(f"{label}_{relative.suffix.lstrip('.')}", reserved)
    number, base = 2, name
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name
