"""The tables of a workspace: profiled in a tool process, and kept by the hashes of their files.

A file's profile depends on the file alone, so it is computed once: a query that adds a result table costs the profile
of that one file, and neither the next step nor a restart costs any. Only the names by which SQL knows the tables
depend on all files together; they are asked for anew whenever the set of files is another one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from engine.cancel import Cancel
from engine.errors import AnabranchError
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.secrets.scrub import Scrubber
from engine.tables import TableProfile
from engine.workspace.manifest import Files
from events.canonical import canonical_json

__all__ = ["Tables", "TablesSeen"]

_RELEASE = "3"
"""Of the profile; another one makes kept profiles void."""
_SECONDS = 120.0
_ENTRYPOINT = "anabranch_tool.table_changes:profile_new"


@dataclass(frozen=True, slots=True)
class TablesSeen:
    """The tables of a state of the files, and why other files are none."""

    tables: tuple[TableProfile, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Path → reason in words."""


@dataclass(frozen=True, slots=True)
class _File:
    """What is known of one file: its tables, or why it has none."""

    tables: tuple[TableProfile, ...] = ()
    unread: str | None = None


class Tables:
    """Profiles of tables by the state of the files. Safe for several threads."""

    def __init__(self, pool: Pool, cache: Path, scrubber: Scrubber) -> None:
        self._pool = pool
        self._scrubber = scrubber
        self._cache = cache
        self._lock = Lock()
        self._seen: dict[str, TablesSeen] = {}

    def of(self, files: Files, folder: Path, cancel: Cancel | None = None) -> tuple[TableProfile, ...]:
        """Return the tables of `files`, which `folder` holds. Files that cannot be read are no tables."""
        return self.look(files, folder, cancel).tables

    def look(self, files: Files, folder: Path, cancel: Cancel | None = None) -> TablesSeen:
        """Return the tables of `files`, which `folder` holds, and why other files are none. Never raises for those."""
        tabular = _tabular(files)
        if not tabular:
            return TablesSeen()
        key = _key(sorted(tabular.items()))
        seen = self._recall(key)
        if seen is None:
            seen, whole = self._profile(tabular, folder, cancel or Cancel())
            with self._lock:
                self._seen[key] = seen
            if whole:
                self._keep(key, seen.tables, seen.unread)
        return seen

    def known(self, files: Files) -> tuple[TableProfile, ...] | None:
        """Return the tables of `files` if they were profiled before."""
        tabular = _tabular(files)
        if not tabular:
            return ()
        seen = self._recall(_key(sorted(tabular.items())))
        return seen.tables if seen is not None else None

    def known_unread(self, files: Files) -> Mapping[str, str]:
        """Return why files that look like tables are none, if `files` were profiled before: path → reason."""
        tabular = _tabular(files)
        seen = self._recall(_key(sorted(tabular.items()))) if tabular else None
        return seen.unread if seen is not None else {}

    def _recall(self, key: str) -> TablesSeen | None:
        with self._lock:
            if key in self._seen:
                return self._seen[key]
        stored = self._load(key)
        return None if stored is None else TablesSeen(*stored)

    def _profile(self, tabular: Mapping[str, str], folder: Path, cancel: Cancel) -> tuple[TablesSeen, bool]:
        """Profile what is not known of `tabular`, path → hash; and whether that can be kept."""
        known = {path: file for path, sha in tabular.items() if (file := self._file(path, sha)) is not None}
        outcome = self._run(folder, known, cancel)
        if outcome.status == "error" and len(tabular) - len(known) > 1:
            self._one_by_one(tabular, folder, known, cancel)
            outcome = self._run(folder, known, cancel)
        if outcome.value is None:
            reason = outcome.error.message if outcome.error else outcome.status
            fresh = {path: reason for path in tabular if path not in known}
            return TablesSeen((), fresh or {"the workspace": reason}), False
        self._take(self._clean(outcome.value, folder), tabular, known)
        return _assembled(outcome.value["names"], known), True

    def _one_by_one(
        self, tabular: Mapping[str, str], folder: Path, known: dict[str, _File], cancel: Cancel
    ) -> None:
        """One file that ends its process must not hide the others."""
        for path in [path for path in tabular if path not in known]:
            outcome = self._run(folder, [other for other in tabular if other != path], cancel)
            if outcome.value is not None:
                self._take(self._clean(outcome.value, folder), {path: tabular[path]}, known)
            elif not cancel.is_set:
                known[path] = _File(unread=outcome.error.message if outcome.error else outcome.status)

    def _clean(self, value: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """What may be told to a model, and kept: no secrets, and no word of where the folder stands."""
        return self._scrubber.json(_without(value, folder))

    def _run(self, folder: Path, known: Mapping[str, _File] | Sequence[str], cancel: Cancel) -> RunOutcome:
        request = RunRequest(
            call_id="profile",
            bundle=None,
            entrypoint=_ENTRYPOINT,
            workspace=folder,
            arguments={"known": sorted(known)},
            limits=Limits(seconds=_SECONDS, result_bytes=64 << 20),
        )
        try:
            return self._pool.run(request, cancel=cancel)
        except AnabranchError:
            return RunOutcome("cancelled")

    def _take(self, value: Mapping[str, Any], tabular: Mapping[str, str], known: dict[str, _File]) -> None:
        """Keep what was found out about each file that was not known."""
        found: dict[str, list[TableProfile]] = {}
        for table in value["tables"]:
            profile = TableProfile.model_validate(table)
            found.setdefault(profile.path, []).append(profile)
        for path, sha in tabular.items():
            if path not in known:
                file = _File(tuple(found.get(path, ())), value["unread"].get(path))
                known[path] = file
                unread = {} if file.unread is None else {path: file.unread}
                self._keep(_key([path, sha]), file.tables, unread)

    def _file(self, path: str, sha: str) -> _File | None:
        stored = self._load(_key([path, sha]))
        return None if stored is None else _File(stored[0], stored[1].get(path))

    def _load(self, key: str) -> tuple[tuple[TableProfile, ...], dict[str, str]] | None:
        try:
            stored = json.loads((self._cache / f"{key}.json").read_text("utf-8"))
            tables = tuple(TableProfile.model_validate(table) for table in stored["tables"])
            return tables, {str(path): str(why) for path, why in stored["unread"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _keep(self, key: str, tables: Sequence[TableProfile], unread: Mapping[str, str]) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        content = {"tables": [table.model_dump(mode="json") for table in tables], "unread": dict(unread)}
        fresh = self._cache / f"{key}.new"
        with self._lock:
            fresh.write_text(canonical_json(content), "utf-8")
            fresh.replace(self._cache / f"{key}.json")


def _without(value: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The value with no word of where the folder stands: what is kept must be true in any other."""
    unread = {path: why.replace(f"{folder}/", "") for path, why in value["unread"].items()}
    return {**value, "unread": unread}


def _assembled(names: Sequence[Sequence[Any]], known: Mapping[str, _File]) -> TablesSeen:
    """All tables in the order of their names, each under the name that it has among all files."""
    tables = []
    for path, sheet, name in names:
        for table in known[path].tables if path in known else ():
            if table.sheet == sheet:
                tables.append(table.model_copy(update={"name": name}))
    return TablesSeen(
        tuple(tables), {path: file.unread for path, file in sorted(known.items()) if file.unread}
    )


_TABULAR = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".gz")
_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def _tabular(files: Files) -> dict[str, str]:
    """Path → hash of what may hold tables; what really does is the reader's to say."""
    return {
        path: entry.sha256 for path, entry in files.items() if path.lower().endswith((*_TABULAR, *_WORKBOOKS))
    }


def _key(of: Sequence[Any]) -> str:
    return sha256(canonical_json([_RELEASE, *of]).encode()).hexdigest()
