"""Converts workspace files to typed tables in tool processes: each content once, and completely or not at all.

A file that failed for lack of time or memory is remembered until a retry is requested; a file that is not a table has
an entry in the cache like any other file.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from threading import Condition
from types import MappingProxyType
from typing import Any

from engine.errors import AnabranchError
from engine.runtime.pool import OnProgress, Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.system.weighted_cache import WeightedCache
from engine.tools.linked_files import LinkedFiles
from engine.tools.table_cache import Entry, TableCache, key_of
from engine.tools.table_kinds import ending_of, is_tabular, is_typed, why
from engine.tools.table_naming import names_of
from engine.workspace.links import Link
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["RELEASE", "Named", "TypedFiles"]

RELEASE = "7"
"""The version of the readers. A change of the version makes stored tables invalid."""
_SECONDS = 120.0
_SECONDS_A_FILE = 1.0
"""The additional seconds for each file, for busy machines. A small file takes about 30 ms of processor time."""
_SLOWEST = 4 << 20
"""The slowest normal speed of typing a file, in bytes per second."""
_LARGEST = 32 << 30


@dataclass(frozen=True, slots=True)
class Named:
    """All tables of a state of the files by name, typed."""

    names: tuple[tuple[str, str | None, str, str, tuple[str, ...]], ...] = ()
    """The path, sheet, SQL name, kind and parts of each table."""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    again: frozenset[str] = frozenset()
    links: Mapping[str, Link] = field(default_factory=dict)
    """Path → link, for the links that were followed."""


class TypedFiles:
    """Typed files by path and key. Thread-safe."""

    def __init__(
        self, pool: Pool, cache: TableCache, share: Callable[[], float], linked: LinkedFiles
    ) -> None:
        """`share` returns the share of a column's values that may be unreadable."""
        self.cache = cache
        self._linked = linked
        self._pool, self._share = pool, share
        self._changed = Condition()
        self._typing: set[str] = set()
        self._failed: dict[str, str] = {}
        self._names: WeightedCache[str, Any] = WeightedCache(10_000, lambda found: 1 + len(found["names"]))
        """The tables' names in each state of the files, by its key. The weight is the number of tables."""

    def keys(self, contents: Mapping[str, str]) -> dict[str, str]:
        """Return the keys of files that may contain tables: path → hash becomes path → key."""
        share = self._share()
        return {path: self._key(path, sha256, share) for path, sha256 in contents.items() if is_tabular(path)}

    @staticmethod
    def _key(path: str, sha256: str, share: float) -> str:
        """Return the key of a file's content. It includes the file's ending, which determines how the file is read."""
        return key_of(RELEASE, ending_of(path), sha256, share)

    def failed(self, key: str) -> str | None:
        """Return the reason why a file could not be read, if it can be tried again."""
        return self._failed.get(key)

    def forget(self) -> None:
        """Drop all typed tables."""
        self._names.clear()
        self.cache.clear()

    def retry(self) -> None:
        """Allow everything that failed for lack of time or memory to be read again."""
        with self._changed:
            self._failed.clear()

    def name(
        self,
        tabular: Mapping[str, str],
        folder: Path,
        cancel: Cancellation,
        on_progress: OnProgress | None,
    ) -> Named:
        """Type new files, and name all tables. Links that may not be followed have no tables."""
        followed = self._linked.follow(tabular.keys(), folder)
        named = self._name(
            {path: key for path, key in tabular.items() if path not in followed.refused},
            folder,
            followed.links,
            cancel,
            on_progress,
        )
        return replace(
            named,
            unread={**named.unread, **followed.refused},
            again=named.again | frozenset(followed.refused),
            links=followed.links,
        )

    def _name(
        self,
        tabular: Mapping[str, str],
        folder: Path,
        links: Mapping[str, Link],
        cancel: Cancellation,
        on_progress: OnProgress | None,
    ) -> Named:
        claimed = self._claim([key for path, key in tabular.items() if is_typed(path)], cancel)
        try:
            wanted = {path: key for path, key in tabular.items() if key in claimed}
            entries = self._entries(tabular)
            reasons = {path: told for path, key in tabular.items() if (told := self._failed.get(key))}
            known = {**{path: [] for path in reasons}, **{path: one.sheets for path, one in entries.items()}}
            asked = key_of(RELEASE, sorted(tabular.items()), sorted(reasons))
            found = None if wanted else self._known_names(asked, tabular, known, folder)
            if found is None:
                failed, found = self.type(wanted, known, folder, cancel, on_progress, links)
                entries = self._entries(tabular)
                reasons |= failed
            if found is not None and (not wanted or not reasons):
                self._keep_names(asked, found, lasting=not reasons)
        finally:
            self._release(claimed)
        if found is None:
            unread = reasons or {"the workspace": "its tables could not be listed"}
            return Named((), entries, unread, frozenset(unread))
        names = tuple(
            (path, sheet, name, kind, tuple(parts))
            for path, sheet, name, kind, parts in found["names"]
            if not is_typed(path, kind) or (path in entries and sheet in entries[path].sheets)
        )
        unread = {path: entry.unread for path, entry in entries.items() if entry.unread}
        return Named(names, entries, {**found["unread"], **unread, **reasons}, frozenset(reasons))

    def _known_names(
        self,
        asked: str,
        tabular: Mapping[str, str],
        known: Mapping[str, Sequence[str | None]],
        folder: Path,
    ) -> Any | None:
        """Return the names of the tables if all files are typed; None if a process must read Parquet files first."""
        kept = self._names.get(asked) or self.cache.load(f"names-{asked}")
        return kept or names_of(list(tabular), known, folder)

    def knows(self, tabular: Mapping[str, str]) -> bool:
        """Return whether all tables of a state are named and typed. If so, only Parquet files must still be read."""
        typed = {path for path in tabular if is_typed(path)}
        return bool(self.named_before(tabular)) and typed <= self._entries(tabular).keys()

    def named_before(self, tabular: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the name and path of each table of a state, if they were named before; otherwise none."""
        asked = key_of(RELEASE, sorted(tabular.items()), [])
        found = self._names.get(asked) or self.cache.load(f"names-{asked}") or {"names": []}
        return [(name, path) for path, _, name, _, _ in found["names"]]

    def _keep_names(self, asked: str, found: Any, *, lasting: bool) -> None:
        if self._names.get(asked) == found:
            return
        self._names.put(asked, found)
        if lasting:
            self.cache.keep(f"names-{asked}", found)

    def _entries(self, tabular: Mapping[str, str]) -> dict[str, Entry]:
        found = {path: self.cache.entry(key) for path, key in tabular.items() if is_typed(path)}
        return {path: entry for path, entry in found.items() if entry is not None}

    def _claim(self, keys: Sequence[str], cancel: Cancellation) -> set[str]:
        """Return the keys that the caller must type. Wait for the keys that another thread is typing."""
        while True:
            with self._changed:
                lacking = {key for key in keys if key not in self._failed and self.cache.entry(key) is None}
                if cancel.is_set or not lacking & self._typing:
                    lacking -= self._typing
                    self._typing |= lacking
                    return lacking
                self._changed.wait(0.2)

    def _release(self, keys: set[str]) -> None:
        with self._changed:
            self._typing -= keys
            self._changed.notify_all()

    def type(
        self,
        wanted: Mapping[str, str],
        known: Mapping[str, Sequence[str | None]],
        folder: Path,
        cancel: Cancellation,
        on_progress: OnProgress | None,
        links: Mapping[str, Link] = MappingProxyType({}),
    ) -> tuple[dict[str, str], Any | None]:
        """Type `wanted` (path → key), and name all tables; return the problems of files, and the names."""
        reasons: dict[str, str] = {}
        outcome, left = self._run_typing(wanted, known, folder, cancel, on_progress, reasons, links)
        if outcome.value is None and len(left) > 1 and outcome.status == "error" and not cancel.is_set:
            # if one file crashes the process, the other files are still read, one by one
            for path, key in left.items():
                one, still = self._run_typing({path: key}, {}, folder, cancel, on_progress, reasons, links)
                if still and not cancel.is_set:
                    reasons[path] = self.fail(key, why(one))
            left = {}
        for path, key in left.items():
            if not cancel.is_set:
                reasons[path] = self.fail(key, why(outcome))
        if outcome.value is None and not cancel.is_set:
            sheets = {path: entry.sheets for path, entry in self._entries({**wanted}).items()}
            everything = {**{path: [] for path in reasons}, **known, **sheets}
            outcome, _ = self._run_typing({}, everything, folder, cancel, None, reasons)
        return reasons, outcome.value

    def _run_typing(
        self,
        wanted: Mapping[str, str],
        known: Mapping[str, Sequence[str | None]],
        folder: Path,
        cancel: Cancellation,
        on_progress: OnProgress | None,
        reasons: dict[str, str],
        links: Mapping[str, Link] = MappingProxyType({}),
    ) -> tuple[RunOutcome, dict[str, str]]:
        """Type files in a process, and cache the completed files. Also return the uncompleted part of `wanted`."""
        left = dict(wanted)
        with tempfile.TemporaryDirectory(prefix="anabranch-typing-") as scratch:
            arguments: dict[str, JSON] = {
                "source": str(folder),
                "wanted": [list(item) for item in wanted.items()],
                "known": {path: list(sheets) for path, sheets in known.items()},
                "share": self._share(),
                "links": {path: _told(links[path]) for path in wanted if path in links},
            }
            size = sum((folder / path).stat().st_size for path in wanted)
            parts = [Path(part.path) for path in wanted if path in links for part in links[path].parts]
            files = len(wanted) + len(parts)
            outcome = self.run(
                "type_new", Path(scratch), arguments, (folder, *parts), size, cancel, on_progress, files=files
            )
            for path, key in wanted.items():
                whereabouts = {f"{folder}/": "", f"{scratch}/": ""}
                entry = self.cache.adopt(Path(scratch) / key, key, whereabouts)
                entry = entry or self.cache.entry(key)  # already typed for another file with the same content
                if isinstance(entry, str):
                    reasons[path] = self.fail(key, entry)
                if entry is not None:
                    left.pop(path, None)
        return outcome, left

    def fail(self, key: str, reason: str) -> str:
        """Remember that a file could not be read for now; return `reason`."""
        with self._changed:
            self._failed[key] = reason
        return reason

    def run(
        self,
        function: str,
        scratch: Path,
        arguments: Mapping[str, JSON],
        readable: Sequence[Path],
        size: int,
        cancel: Cancellation,
        on_progress: OnProgress | None,
        *,
        files: int = 1,
    ) -> RunOutcome:
        """Run a function of `anabranch_tool.table_cache` that reads `size` bytes in `files` files."""
        seconds = _SECONDS + size / _SLOWEST + files * _SECONDS_A_FILE
        request = RunRequest(
            call_id="tables",
            bundle=None,
            entrypoint=f"anabranch_tool.table_cache:{function}",
            workspace=scratch,
            arguments=arguments,
            limits=Limits(seconds=seconds, result_bytes=64 << 20, file_bytes=_LARGEST),
            readable=tuple(readable),
        )
        try:
            return self._pool.run(request, cancel=cancel, on_progress=on_progress)
        except AnabranchError:
            return RunOutcome("cancelled")


def _told(link: Link) -> JSON:
    return {"kind": link.kind, "parts": [part.path for part in link.parts]}
