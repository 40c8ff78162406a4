"""The tables of a workspace: typed and profiled in tool processes, once for each file content, and cached by its hash.

A file becomes Parquet with a profile, which queries, charts, Python and the page read. Only the names of the
tables in SQL depend on all files together; they are computed again whenever the set of files changes.
"""

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from engine.errors import Unavailable
from engine.runtime.pool import OnProgress, Pool
from engine.secrets.scrubber import Scrubber
from engine.system.cancellation import Cancellation
from engine.system.weighted_cache import WeightedCache
from engine.tools.linked_files import LinkedFiles
from engine.tools.table_cache import TableCache, key_of
from engine.tools.table_catalog import Catalog, catalog_of, waiting
from engine.tools.table_kinds import why
from engine.tools.table_typing import RELEASE, Named, TypedFiles
from engine.workspace.manifest import Files
from engine.workspace.table_facts import TableProfile
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Tables", "TablesSeen"]

_MOST_READ = 1 << 30
"""The time limit for profiling a file grows with its size up to this number of bytes. In larger files, not every row is
profiled.
"""
_KEPT = 10_000
"""The maximum number of tables and columns in memory. A table counts once for each cached state of the files that
contains it."""


@dataclass(frozen=True, slots=True)
class TablesSeen:
    """The tables of a state of the files, and the reasons why other files are not tables."""

    tables: tuple[TableProfile, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Path → the reason in words."""
    again: frozenset[str] = frozenset()
    """Paths in `unread` that failed for lack of time or memory and can be tried again."""


class Tables:
    """Tables by the state of the files. Thread-safe."""

    def __init__(
        self,
        pool: Pool,
        cache: Path,
        scrubber: Scrubber,
        share: Callable[[], float] = lambda: 0.05,
        allowed: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """`share` returns the largest share of a column's values that may be unreadable, `allowed` the locations that
        links may name.
        """
        self._cache = TableCache(cache, scrubber)
        self._files = TypedFiles(pool, self._cache, share, LinkedFiles(allowed))
        self._seen: WeightedCache[str, TablesSeen] = WeightedCache(_KEPT, _weight)

    def of(self, files: Files, folder: Path, cancel: Cancellation | None = None) -> tuple[TableProfile, ...]:
        """Return the tables of `files` in `folder`. Files that cannot be read have no tables."""
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
        """Return the tables of `files` in `folder`, and the reasons why other files are not tables; such files cause no
        error.

        Files in `without` influence the names of tables, but are not read and not returned.
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
        """Return the result of `look` if it is already known."""
        return self._recall(files)

    def names(self, files: Files) -> list[tuple[str, str]]:
        """Return the name and path of each table of `files`, if a call or a request has named them before."""
        return self._files.named_before(self._tabular(files))

    def is_typed(self, files: Files) -> bool:
        """Return whether `catalog` would read only the Parquet files in `files`, because everything else is cached."""
        return self._files.knows(self._tabular(files))

    def known_unread(self, files: Files) -> Mapping[str, str]:
        """Return path → the reason why a file that looks like a table is not a table, if `files` were profiled
        before."""
        seen = self._recall(files)
        return seen.unread if seen is not None else {}

    def read_of(self, files: Files) -> Files:
        """Return the files in `files` that `look` reads; a folder needs to contain only these."""
        tabular = self._tabular(files)
        return {path: entry for path, entry in files.items() if path in tabular}

    def forget(self) -> None:
        """Drop all typed tables and profiles, because their inputs may be gone."""
        self._seen.clear()
        self._files.forget()

    def retry(self) -> None:
        """Allow files that failed for lack of time or memory to be read again."""
        self._files.retry()
        self._seen.clear()

    def catalog(
        self, files: Files, folder: Path, cancel: Cancellation, on_progress: OnProgress | None = None
    ) -> Catalog:
        """Return the typed tables of `files` in `folder`, with everything that a call needs to open them."""
        tabular = self._tabular(files)
        if not tabular:
            return Catalog()
        named = self._files.name(tabular, folder, cancel, on_progress)
        return catalog_of(named, files)

    def typed(self, path: str, sha256: str, sheet: str | None, fetch: Callable[[Path], None]) -> Path | str:
        """Return the Parquet file of one table in a file's content, or the reason why there is none.

        `fetch` writes the content to a file; it is called if the content must be typed first.
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

    def linked(self, path: str, sha256: str, folder: Path) -> tuple[str, tuple[Path, ...]]:
        """Return the SELECT for a link in `folder`, and the files that it reads.

        Raises:
            Unavailable: the link cannot be followed or read (`result_unread`).
        """
        key = self._files.keys({path: sha256})
        named = self._files.name(key, folder, Cancellation(), None)
        entry = named.entries.get(path)
        if entry is None or not entry.tables:
            reason = named.unread.get(path, "it could not be read")
            raise Unavailable("result_unread", f"{path} cannot be read: {reason}.")
        return entry.tables[0]["select"], tuple(Path(part.path) for part in named.links[path].parts)

    # profiles

    def _described(
        self, named: Named, files: Files, folder: Path
    ) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
        """Return, for each table, the request for its profile, and the profile if it is known."""
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
                told = dict(entry.tables[at])
                request = {"parquet": [], "told": told}
                if (link := named.links.get(path)) is not None:
                    reads = [part.path for part in link.parts]
                    request |= {"select": told["select"], "reads": reads, "bytes": link.size}
                elif "parquet" in told:
                    request["parquet"] = [str(entry.parquet(told))]
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
        readable = [Path(file) for table in tables for file in (*table["parquet"], *table.get("reads", ()))]
        size = sum(min(file.stat().st_size, _MOST_READ) for file in readable if file.exists()) * 8
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
                unread[path] = self._files.failed(request["id"]) or "it was not read completely"
                again.add(path)
            elif "unread" in found:
                unread[path] = found["unread"]
            else:
                notes = [*found["notes"], *waiting(path, files)]
                tables.append(
                    TableProfile(**{**found, "name": name, "path": path, "sheet": sheet, "notes": notes})
                )
        return TablesSeen(tuple(tables), dict(sorted(unread.items())), frozenset(again))

    # results of earlier calls of `look`

    def _recall(self, files: Files) -> TablesSeen | None:
        tabular = self._tabular(files)
        if not tabular:
            return TablesSeen()
        key = key_of(RELEASE, sorted(tabular.items()))
        kept = self._seen.get(key)
        if kept is not None:
            return kept
        stored = self._cache.load(f"seen-{key}")
        if stored is None:
            return None
        tables = tuple(TableProfile.model_validate(table) for table in stored["tables"])
        return TablesSeen(tables, stored["unread"])

    def _remember(self, files: Files, seen: TablesSeen) -> TablesSeen:
        key = key_of(RELEASE, sorted(self._tabular(files).items()))
        self._seen.put(key, seen)
        if not seen.again:
            told = {"tables": [t.model_dump(mode="json") for t in seen.tables], "unread": dict(seen.unread)}
            self._cache.keep(f"seen-{key}", told)
        return seen

    def _tabular(self, files: Files) -> dict[str, str]:
        """Return path → key of the files that may contain tables. Reading a file shows whether it really contains
        tables.
        """
        return self._files.keys({path: entry.sha256 for path, entry in files.items()})


def _weight(seen: TablesSeen) -> int:
    return 1 + len(seen.unread) + sum(1 + len(table.columns) for table in seen.tables)
