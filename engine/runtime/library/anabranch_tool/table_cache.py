"""Answers the engine's requests to a tool process about tables: to convert new files, to name all tables, and to
profile them.

A typed file becomes a folder of the workspace that the engine moves into its cache: `0.parquet`, `1.parquet` and so
on, and `entry.json`, which is written last, so that a folder without it is incomplete.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import file_digest
from pathlib import Path
from typing import Any

from anabranch_tool import progress
from anabranch_tool.linked_tables import linked_table
from anabranch_tool.read_tables import MISREAD, reason, type_file
from anabranch_tool.table_files import find_table_files, kind_of, sheets_in, tableless_files
from anabranch_tool.table_profile import profile_linked, profile_parquet

__all__ = ["ENTRY", "profile_new", "type_new", "typed_entry"]

ENTRY = "entry.json"
_ONLY_YOU = "it is a link, and only links that you made yourself are followed"
_FOR_LACK_OF = ("OutOfMemoryException", "No space left", "could not allocate", "Out of Memory")
"""Texts in errors that are not caused by the file. After such an error, the file may be readable later."""


def type_new(
    workspace: Path,
    source: str,
    wanted: Sequence[Sequence[str]],
    known: Mapping[str, Sequence[str | None]],
    share: float,
    links: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Infer the column types of the `wanted` files (path and key) in the folder `source`, store the typed tables in
    folders of `workspace`, and name all tables.

    `known` contains the sheets of the files whose types are already known. `links` contains the `kind` and the `parts`
    of each link among the files. At most the share `share` of a column's values may be unreadable. Returns `names`
    (path, sheet, SQL name, kind and parts of each table) and `unread` (path → reason).
    """
    folder = Path(source)
    sheets = dict(known)
    for number, (path, key) in enumerate(wanted):
        progress(None if len(wanted) == 1 else number / len(wanted), f"Reading {path}")
        if path in links:
            entry = _linked_entry(links[path], workspace / key, share)
        else:
            entry = typed_entry(folder, path, workspace / key, share)
        sheets[path] = [table["sheet"] for table in entry["tables"]]
    unread = {path: why for path, why in tableless_files(folder).items() if not sheets.get(path)}
    found = find_table_files(folder, sheets, without=set(unread))
    return {"unread": unread, "names": [[t.path, t.sheet, t.name, t.kind, list(t.parts)] for t in found]}


def typed_entry(folder: Path, path: str, target: Path, share: float) -> dict[str, Any]:
    """Type all tables of one file into the folder `target`; if it cannot be read, return the reason."""
    file, kind = folder / path, kind_of(path) or "csv"
    target.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        return _finished({"kind": kind, "tables": [], "unread": _ONLY_YOU, "final": False}, target)
    lacking = tableless_files(folder, only={path}).get(path)
    entry: dict[str, Any] = {"kind": kind, "tables": [], "unread": lacking, "final": True}
    inside = [] if lacking is not None else sheets_in(file, kind)
    for number, sheet in enumerate(inside):
        parquet = target / f"{number}.parquet"
        try:
            table = type_file(file, kind, sheet, parquet, share)
        except MISREAD as error:
            parquet.unlink(missing_ok=True)
            why = reason(kind, error)
            entry["final"] = entry["final"] and not _lacked(error)
            entry["unread"] = f"{sheet}: {why}" if sheet and len(inside) > 1 else why
            continue
        entry["tables"].append(
            {
                **asdict(table),
                "parquet": parquet.name,
                "size": parquet.stat().st_size,
                "sha256": _digest(parquet),
            }
        )
    return _finished(entry, target)


def _linked_entry(link: Mapping[str, Any], target: Path, share: float) -> dict[str, Any]:
    """Type the files of a link: its table has a SELECT instead of a Parquet file."""
    target.mkdir(parents=True, exist_ok=True)
    entry: dict[str, Any] = {"kind": "link", "tables": [], "unread": None, "final": True}
    parts = [Path(part) for part in link["parts"]]
    try:
        table = linked_table(link["kind"], parts, share)
        entry["tables"].append({**table, "columns": [asdict(column) for column in table["columns"]]})
    except MISREAD as error:
        entry |= {"unread": reason(link["kind"], error), "final": not _lacked(error)}
    return _finished(entry, target)


def _finished(entry: dict[str, Any], target: Path) -> dict[str, Any]:
    fresh = target / f"{ENTRY}.new"
    fresh.write_text(json.dumps(entry, ensure_ascii=False), "utf-8")
    fresh.replace(target / ENTRY)
    return entry


def _lacked(error: BaseException) -> bool:
    """Return whether reading failed for lack of memory or room, not because of the file."""
    text = f"{type(error).__name__}: {error}"
    return isinstance(error, MemoryError) or any(sign in text for sign in _FOR_LACK_OF)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def profile_new(_workspace: Path, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Profile tables, each with an `id`, a `label`, its Parquet files and the facts from typing (`told`). Return the
    profiles by id.
    """
    profiles: dict[str, Any] = {}
    for number, table in enumerate(tables):
        progress(number / len(tables), f"Looking at {table['label']}")
        if "select" in table:
            profiles[table["id"]] = profile_linked(table)
        else:
            files = [Path(file) for file in table["parquet"]]
            profiles[table["id"]] = profile_parquet(files, table["told"])
    return {"profiles": profiles}
