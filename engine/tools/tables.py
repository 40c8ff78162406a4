"""The tables of a workspace: typed and profiled in tool processes, once for each content, and kept by its hash.

A file becomes Parquet with a profile; queries, charts, Python and the page all read those. Only the names by which SQL
knows the tables depend on all files together; they are asked for whenever the set of files is another one.
"""

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from engine.runtime.pool import OnProgress, Pool
from engine.secrets.scrubber import Scrubber
from engine.system.cancellation import Cancellation
from engine.tools.table_cache import TableCache, key_of
from engine.tools.table_typing import RELEASE, Named, TypedFiles, why
from engine.workspace.manifest import Files
from engine.workspace.table_facts import TableProfile
from events.canonical import JSON

__all__ = ["Catalog", "Tables", "TablesSeen"]


@dataclass(frozen=True, slots=True)
class TablesSeen:
    """The tables of a state of the files, and why other files are none."""

    tables: tuple[TableProfile, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Path → reason in words."""
    again: frozenset[str] = frozenset()
    """Those of `unread` that failed for lack of time or memory, and can be tried again."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The tables that one call can open: its own manifest's, and nothing else."""

    tables: tuple[Mapping[str, JSON], ...] = ()
    """For `anabranch_tool.context.given["tables"]`."""
    unread: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    """Files of the cache that its process may read."""


class Tables:
    """Tables by the state of the files. Safe for several threads."""

    def __init__(
        self, pool: Pool, cache: Path, scrubber: Scrubber, share: Callable[[], float] = lambda: 0.05
    ) -> None:
        """`share` tells which part of a column's values may be unreadable."""
        self._cache = TableCache(cache, scrubber)
        self._files = TypedFiles(pool, self._cache, share)
        self._lock = Lock()
        self._seen: dict[str, TablesSeen] = {}

    def of(self, files: Files, folder: Path, cancel: Cancellation | None = None) -> tuple[TableProfile, ...]:
        """Return the tables of `files`, which `folder` holds. Files that cannot be read are no tables."""
        return self.look(files, folder, cancel).tables

    def look(
        self,
        files: Files,
        folder: Path,
        cancel: Cancellation | None = None,
        on_progress: OnProgress | None = None,
        *,
        without: Collection[str] = (),
    ) -> TablesSeen:
        """Return the tables of `files`, which `folder` holds, and why other files are none. Never raises for those.

        Files in `without` get their names, but are not read and not returned.
        """
        tabular = self._tabular(files)
        if not tabular:
            return TablesSeen()
        known = self._recall(files)
        if known is not None:
            return replace(known, tables=tuple(t for t in known.tables if t.path not in without))
        cancel = cancel or Cancellation()
        named = self._files.name(tabular, folder, cancel, on_progress)
        named = replace(named, names=tuple(name for name in named.names if name[0] not in without))
        lacking = [table for table in self._described(named, files, folder) if table[1] is None]
        if lacking:
            self._profile([request for request, _ in lacking], folder, cancel, on_progress)
        seen = self._assembled(named, files, folder)
        return seen if cancel.is_set or without else self._remember(files, seen)

    def known(self, files: Files) -> tuple[TableProfile, ...] | None:
        """Return the tables of `files` if they were profiled before."""
        seen = self._recall(files)
        return seen.tables if seen is not None else None

    def recall(self, files: Files) -> TablesSeen | None:
        """Return what `look` would, if that is known already."""
        return self._recall(files)

    def names(self, files: Files) -> list[tuple[str, str]]:
        """Return name and path of each table of `files`, as far as a call or a request has named them before."""
        return self._files.named_before(self._tabular(files))

    def is_typed(self, files: Files) -> bool:
        """Return whether `catalog` reads none of `files` but the Parquet files among them."""
        return self._files.knows(self._tabular(files))

    def known_unread(self, files: Files) -> Mapping[str, str]:
        """Return why files that look like tables are none, if `files` were profiled before: path → reason."""
        seen = self._recall(files)
        return seen.unread if seen is not None else {}

    def read_of(self, files: Files) -> Files:
        """Return those of `files` that `look` reads: a folder that holds them is enough for it."""
        tabular = self._tabular(files)
        return {path: entry for path, entry in files.items() if path in tabular}

    def forget(self) -> None:
        """Drop all typed tables and profiles: what they were made of may be gone."""
        with self._lock:
            self._seen.clear()
        self._files.forget()

    def retry(self) -> None:
        """Let files that failed for lack of time or memory be read again."""
        self._files.retry()
        with self._lock:
            self._seen.clear()

    def catalog(
        self, files: Files, folder: Path, cancel: Cancellation, on_progress: OnProgress | None = None
    ) -> Catalog:
        """Return the tables of `files`, which `folder` holds, typed: what a call needs to open them."""
        tabular = self._tabular(files)
        if not tabular:
            return Catalog()
        named = self._files.name(tabular, folder, cancel, on_progress)
        tables: list[Mapping[str, JSON]] = []
        readable: list[Path] = []
        for path, sheet, name, kind, parts in named.names:
            listed: list[JSON] = list(parts or (path,))
            told: Mapping[str, Any] = {"notes": [], "losses": [], "columns": []}
            if path in named.entries:
                entry = named.entries[path]
                told = next(table for table in entry.tables if table["sheet"] == sheet)
                readable.append(entry.parquet(told))
                listed = [str(entry.parquet(told))]
            size = sum(files[part].size for part in parts or (path,))
            facts: dict[str, JSON] = {"name": name, "path": path, "sheet": sheet, "kind": kind, "bytes": size}
            losses = [*told["losses"], *_waiting(path, files)]
            tables.append(
                {
                    **facts,
                    "parquet": listed,
                    "notes": told["notes"],
                    "losses": losses,
                    "columns": told["columns"],
                }
            )
        return Catalog(tuple(tables), named.unread, tuple(readable))

    def typed(self, path: str, sha256: str, sheet: str | None, fetch: Callable[[Path], None]) -> Path | str:
        """Return the Parquet of one table of a file's content, or why there is none.

        `fetch` writes the content to a file, if it must be typed first.
        """
        key = self._files.keys({path: sha256})[path]
        entry = self._cache.entry(key)
        if entry is None:
            with tempfile.TemporaryDirectory(prefix="anabranch-table-") as name:
                folder = Path(name)
                file = folder / path.rpartition("/")[2]
                fetch(file)
                reasons, _ = self._files.type({file.name: key}, {}, folder, Cancellation(), None)
            entry = self._cache.entry(key)
            if entry is None:
                return reasons.get(file.name, "it could not be read")
        for table in entry.tables:
            if sheet in (None, table["sheet"]):
                return entry.parquet(table)
        return entry.unread or "there is no table in it"

    # profiles

    def _described(
        self, named: Named, files: Files, folder: Path
    ) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
        """Return for each table how to ask for its profile, and the profile if it is known."""
        described = []
        for path, sheet, name, _, parts in named.names:
            entry = named.entries.get(path)
            if entry is None:
                key = key_of(RELEASE, "parquet", [[part, files[part].sha256] for part in parts or (path,)])
                request: dict[str, Any] = {
                    "parquet": [str(folder / part) for part in parts or (path,)],
                    "told": None,
                }
                identity = f"profile-{key}"
            else:
                at = entry.sheets.index(sheet)
                request = {"parquet": [str(entry.parquet(entry.tables[at]))], "told": dict(entry.tables[at])}
                identity = f"{entry.key}/profile-{at}"
            described.append(({**request, "id": identity, "label": name}, self._cache.load(identity)))
        return described

    def _profile(
        self,
        tables: Sequence[Mapping[str, Any]],
        folder: Path,
        cancel: Cancellation,
        on_progress: OnProgress | None,
    ) -> None:
        readable = [Path(file) for table in tables for file in table["parquet"]]
        size = sum(file.stat().st_size for file in readable if file.exists()) * 8
        with tempfile.TemporaryDirectory(prefix="anabranch-profile-") as scratch:
            asked: dict[str, JSON] = {"tables": [dict(table) for table in tables]}
            outcome = self._files.run(
                "profile_new", Path(scratch), asked, readable, size, cancel, on_progress, files=len(tables)
            )
        if outcome.value is None and len(tables) > 1 and outcome.status == "error" and not cancel.is_set:
            for table in tables:
                self._profile([table], folder, cancel, on_progress)
            return
        for table in tables:
            found = outcome.value["profiles"].get(table["id"]) if outcome.value is not None else None
            if found is not None:
                self._cache.keep(table["id"], found)
            elif not cancel.is_set:
                self._files.fail(table["id"], why(outcome))

    def _assembled(self, named: Named, files: Files, folder: Path) -> TablesSeen:
        """Return all tables in the order of their names."""
        tables, unread, again = [], dict(named.unread), set(named.again)
        for (path, sheet, name, _, _), (request, found) in zip(
            named.names, self._described(named, files, folder), strict=True
        ):
            if found is None:
                unread[path] = self._files.failed(request["id"]) or "it was not read to its end"
                again.add(path)
            elif "unread" in found:
                unread[path] = found["unread"]
            else:
                notes = [*found["notes"], *_waiting(path, files)]
                tables.append(
                    TableProfile(**{**found, "name": name, "path": path, "sheet": sheet, "notes": notes})
                )
        return TablesSeen(tuple(tables), dict(sorted(unread.items())), frozenset(again))

    # what was seen before

    def _recall(self, files: Files) -> TablesSeen | None:
        tabular = self._tabular(files)
        if not tabular:
            return TablesSeen()
        key = key_of(RELEASE, sorted(tabular.items()))
        with self._lock:
            if key in self._seen:
                return self._seen[key]
        stored = self._cache.load(f"seen-{key}")
        if stored is None:
            return None
        tables = tuple(TableProfile.model_validate(table) for table in stored["tables"])
        return TablesSeen(tables, stored["unread"])

    def _remember(self, files: Files, seen: TablesSeen) -> TablesSeen:
        key = key_of(RELEASE, sorted(self._tabular(files).items()))
        with self._lock:
            self._seen[key] = seen
        if not seen.again:
            told = {"tables": [t.model_dump(mode="json") for t in seen.tables], "unread": dict(seen.unread)}
            self._cache.keep(f"seen-{key}", told)
        return seen

    def _tabular(self, files: Files) -> dict[str, str]:
        """Path → key of what may hold tables; what really does is the reader's to say."""
        return self._files.keys({path: entry.sha256 for path, entry in files.items()})


def _waiting(path: str, files: Files) -> list[str]:
    """Return a sentence if a database has changes in a file beside it, which are not read."""
    log = f"{path}-wal"
    if log not in files or not files[log].size:
        return []
    return [
        f"Changes in {log} are not read. Close the program that writes the database, then add {path} again."
    ]
