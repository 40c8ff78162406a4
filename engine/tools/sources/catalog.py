"""Stores the list of each source's tables, and when it was last read, in the cache folder. The lists are never in the
log.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from engine.deciders.sources import Source
from engine.workspace.table_facts import TableProfile
from events.canonical import canonical_json
from events.identity import Clock
from events.late_dataclass import dataclass

__all__ = ["Column", "ListedTables", "SourceCatalog", "SourceTable"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table in a source."""

    name: str
    type: str
    """The type as the source names it."""
    note: str = ""
    """`key` for a key, or `→ table` for a reference."""


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table in a source."""

    schema: str
    name: str
    kind: str
    """`table`, `view` or `foreign table`."""
    rows: int | None
    """The approximate number of rows, if the source knows it."""
    columns: tuple[Column, ...]

    @property
    def full_name(self) -> str:
        """The table's full name in the source's SQL."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(frozen=True, slots=True)
class ListedTables:
    """The tables of a source, at one moment."""

    tables: tuple[SourceTable, ...] = ()
    left_out: int = 0
    read_at: datetime | None = None
    """When the tables were read; None if they were never read."""
    profiles: tuple[TableProfile, ...] = ()
    """Profiles of the tables that the user asked to profile, so that questions about them can be typed. The notes of a
    profile say when it was made.
    """

    def profile(self, table: SourceTable) -> TableProfile | None:
        """Return the profile of a table, if it was read."""
        at = (table.schema, table.name)
        return next(
            (p for p in self.profiles if p.source and (p.source.schema_name, p.source.table) == at), None
        )

    def schemas(self) -> dict[str, list[SourceTable]]:
        """Return the tables by their schema."""
        found: dict[str, list[SourceTable]] = {}
        for table in self.tables:
            found.setdefault(table.schema, []).append(table)
        return found


class SourceCatalog:
    """Stores the tables of sources. Thread-safe."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = Lock()
        self._kept: dict[Path, ListedTables] = {}

    def listed(self, source: Source) -> ListedTables:
        """Return the tables of a source as last read; none if they were never read, or if the source was changed
        since."""
        with self._lock:
            return self._listed(source)

    def _listed(self, source: Source) -> ListedTables:
        file = self._file(source)
        if file not in self._kept:
            self._kept[file] = _read(file)
        return self._kept[file]

    def keep(self, source: Source, tables: Sequence[Mapping[str, Any]], left_out: int) -> ListedTables:
        """Store a source's current tables, and keep the profiles of tables whose columns have not changed."""
        made = tuple(map(_table, tables))
        with self._lock:
            before = self._listed(source)
            still = tuple(p for table in made if (p := _still(table, before)) is not None)
            return self._keep(source, ListedTables(made, left_out, self._clock(), still))

    def keep_profile(self, source: Source, profile: TableProfile) -> None:
        """Store the profile of a table, in place of an older one."""
        with self._lock:
            listed = self._listed(source)
            others = [one for one in listed.profiles if one.name != profile.name]
            self._keep(source, replace(listed, profiles=(*others, profile)))

    def _keep(self, source: Source, listed: ListedTables) -> ListedTables:
        content = {
            "read_at": listed.read_at.isoformat() if listed.read_at else None,
            "left_out": listed.left_out,
            "tables": [asdict(table) for table in listed.tables],
            "profiles": [profile.model_dump(mode="json") for profile in listed.profiles],
        }
        file = self._file(source)
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.{uuid4().hex}")
        fresh.write_text(json.dumps(content), "utf-8")
        fresh.replace(file)
        self._kept[file] = listed
        return listed

    def now(self) -> datetime:
        """Return the current time, to be stored with new data."""
        return self._clock()

    def forget(self, name: str) -> None:
        """Remove the cached data of a removed source."""
        with self._lock:
            self._kept.clear()
            for file in self._folder.glob(f"{name}-????????????????.json"):
                file.unlink(missing_ok=True)

    def _file(self, source: Source) -> Path:
        """Return the cache file of a source. Its name depends on the source's facts, because another address has other
        tables."""
        facts = sha256(canonical_json(source.facts.model_dump(mode="json")).encode()).hexdigest()[:16]
        return self._folder / f"{source.name}-{facts}.json"


def _still(table: SourceTable, before: ListedTables) -> TableProfile | None:
    """Return the known profile of a table if it still describes the table; None if the table's columns or their types
    have changed.
    """
    profile = before.profile(table)
    was = next((one for one in before.tables if one.full_name == table.full_name), None)
    if profile is None or was is None:
        return None
    same = [(c.name, c.type) for c in was.columns] == [(c.name, c.type) for c in table.columns]
    named = {c.name for c in profile.columns} <= {c.name for c in table.columns}
    return profile if same and (named or not table.columns) else None


def _read(file: Path) -> ListedTables:
    """Return the content of a cache; empty if it does not exist or is damaged."""
    try:
        content = json.loads(file.read_bytes())
        return ListedTables(
            tuple(map(_table, content["tables"])),
            content["left_out"],
            datetime.fromisoformat(content["read_at"]),
            tuple(map(TableProfile.model_validate, content.get("profiles", ()))),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return ListedTables()


def _table(found: Mapping[str, Any]) -> SourceTable:
    columns = tuple(
        Column(str(c["name"]), str(c["type"]), str(c.get("note") or "")) for c in found["columns"]
    )
    rows = found["rows"]
    return SourceTable(
        str(found["schema"]),
        str(found["name"]),
        str(found["kind"]),
        int(rows) if rows is not None else None,
        columns,
    )
