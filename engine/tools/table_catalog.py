"""The tables that a call can open, and the files outside the call's folder that it may read for these tables."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from engine.tools.linked_files import changed_since
from engine.tools.table_cache import Entry
from engine.tools.table_typing import Named
from engine.workspace.links import Link
from engine.workspace.manifest import Files
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Catalog", "catalog_of", "waiting"]


@dataclass(frozen=True, slots=True)
class Catalog:
    """The tables that one call can open: only the tables of the call's manifest."""

    tables: tuple[Mapping[str, JSON], ...] = ()
    """The value of `anabranch_tool.context.given["tables"]`."""
    unread: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    """Files that the call's process may read: files of the cache, and files that links name."""


def catalog_of(named: Named, files: Files) -> Catalog:
    """Return the catalog of typed tables."""
    tables: list[Mapping[str, JSON]] = []
    readable: list[Path] = []
    for path, sheet, name, kind, parts in named.names:
        listed: list[JSON] = list(parts or (path,))
        told: Mapping[str, Any] = {"notes": [], "losses": [], "columns": []}
        link = named.links.get(path)
        if path in named.entries:
            entry = named.entries[path]
            told = next(table for table in entry.tables if table["sheet"] == sheet)
            read = _rows_of(entry, told, link)
            readable += read
            listed = [str(file) for file in read]
        size = sum(files[part].size for part in parts or (path,))
        facts: dict[str, JSON] = {"name": name, "path": path, "sheet": sheet, "kind": kind, "bytes": size}
        losses = [*told["losses"], *waiting(path, files)]
        if link is not None:
            facts |= {"bytes": link.size, "select": told["select"], "rows": told["rows"]}
            losses += [changed] if (changed := changed_since(link)) else []
        known = {"parquet": listed, "notes": told["notes"], "losses": losses, "columns": told["columns"]}
        tables.append({**facts, **known})
    return Catalog(tuple(tables), named.unread, tuple(readable))


def _rows_of(entry: Entry, table: Mapping[str, Any], link: Link | None) -> list[Path]:
    """Return the files with the rows of a table: its file in the cache, or the files that a link names."""
    return [entry.parquet(table)] if link is None else [Path(part.path) for part in link.parts]


def waiting(path: str, files: Files) -> list[str]:
    """Return a sentence if a database has changes in a separate file, which are not read."""
    log = f"{path}-wal"
    if log not in files or not files[log].size:
        return []
    return [
        f"Changes in {log} are not read. Close the program that writes the database, then add {path} again."
    ]
