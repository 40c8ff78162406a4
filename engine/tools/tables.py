"""The tables of a workspace: profiled in a tool process, and kept by the hashes of their files.

A profile depends on the files alone, so the one of a file that did not change is never computed again, neither in the
next step nor after a restart.
"""

import json
from hashlib import sha256
from pathlib import Path
from threading import Lock

from engine.cancel import Cancel
from engine.errors import Unavailable
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunRequest
from engine.tables import TableProfile
from engine.workspace.manifest import Files
from events.canonical import canonical_json

__all__ = ["Tables"]

_RELEASE = "1"
"""Of the profile; another one makes kept profiles void."""
_SECONDS = 120.0


class Tables:
    """Profiles of tables by the state of the files."""

    def __init__(self, pool: Pool, cache: Path) -> None:
        self._pool = pool
        self._cache = cache
        self._lock = Lock()
        self._kept: dict[str, tuple[TableProfile, ...]] = {}

    def of(self, files: Files, folder: Path, cancel: Cancel | None = None) -> tuple[TableProfile, ...]:
        """Return the tables of `files`, which `folder` holds. Files that cannot be read are no tables."""
        key = _key(files)
        if key is None:
            return ()
        with self._lock:
            kept = self._kept.get(key) or self._load(key)
            if kept is None:
                kept = self._profile(folder, cancel or Cancel())
                self._store(key, kept)
            self._kept[key] = kept
            return kept

    def known(self, files: Files) -> tuple[TableProfile, ...] | None:
        """Return the tables of `files` if they were profiled before."""
        key = _key(files)
        return () if key is None else self._kept.get(key) or self._load(key)

    def _profile(self, folder: Path, cancel: Cancel) -> tuple[TableProfile, ...]:
        request = RunRequest(
            call_id="profile",
            bundle=None,
            entrypoint="anabranch_tool.tables:profile",
            workspace=folder,
            arguments={},
            limits=Limits(seconds=_SECONDS, result_bytes=64 << 20),
        )
        outcome = self._pool.run(request, cancel=cancel)
        if outcome.value is None:
            reason = outcome.error.message if outcome.error else outcome.status
            raise Unavailable("tables_unread", f"The tables of this chat could not be read: {reason}")
        return tuple(TableProfile.model_validate(table) for table in outcome.value["tables"])

    def _load(self, key: str) -> tuple[TableProfile, ...] | None:
        try:
            stored = json.loads((self._cache / f"{key}.json").read_text())
            return tuple(TableProfile.model_validate(table) for table in stored)
        except (FileNotFoundError, ValueError):
            return None

    def _store(self, key: str, tables: tuple[TableProfile, ...]) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        fresh = self._cache / f"{key}.new"
        fresh.write_text(canonical_json([table.model_dump(mode="json") for table in tables]))
        fresh.replace(self._cache / f"{key}.json")


_TABULAR = (
    ".csv",
    ".tsv",
    ".parquet",
    ".json",
    ".jsonl",
    ".ndjson",
    ".xlsx",
    ".xls",
    ".xlsm",
    ".ods",
    ".gz",
    ".txt",
)


def _key(files: Files) -> str | None:
    tabular = [[path, entry.sha256] for path, entry in files.items() if path.lower().endswith(_TABULAR)]
    return sha256(canonical_json([_RELEASE, sorted(tabular)]).encode()).hexdigest() if tabular else None
