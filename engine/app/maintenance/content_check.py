"""Checks everything that the log refers to (WSP-6): the contents of all chats, and every stored toolset file."""

from pathlib import Path
from typing import Literal

from engine.app.maintenance.reachable_contents import Reached, reached_contents, strictly_named
from engine.app.maintenance.unexplained import toolset_hashes
from engine.chats.open_chats import stream_of
from engine.chats.workspaces import Workspaces
from engine.errors import NotFound
from engine.toolsets.stored_code import deviations
from engine.workspace.blobs import BlobCheck, FolderBlobs
from events.late_dataclass import dataclass
from events.log import EventLog
from events.read_store import ReadStore

__all__ = ["BadBlob", "BadFile", "Checked", "ContentCheck", "RemovedBlob"]

_DELETED = "SELECT chat_id FROM chat_state WHERE deleted_at IS NOT NULL"


@dataclass(frozen=True, slots=True)
class BadBlob:
    """Content that an event names, but that is missing or damaged."""

    chat_id: str
    sha256: str


@dataclass(frozen=True, slots=True)
class RemovedBlob:
    """Content that an event names, but that was removed on purpose. This is not a fault."""

    chat_id: str
    sha256: str
    why: Literal["retention", "chat deleted"]


@dataclass(frozen=True, slots=True)
class BadFile:
    """A stored file of a toolset that differs from the installed one."""

    toolset_id: str
    version: str
    """The version and the beginning of the content's hash, as in the name of the version's folder."""
    path: str
    what: Literal["changed", "missing", "added", "linked"]


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings of `check`."""

    ok: bool
    blobs: int
    missing: tuple[BadBlob, ...]
    damaged: tuple[BadBlob, ...]
    removed: tuple[RemovedBlob, ...] = ()
    toolset_files: int = 0
    bad_files: tuple[BadFile, ...] = ()


class ContentCheck:
    """Compares the data folder with its log. Changes nothing, and creates no folder."""

    def __init__(self, log: EventLog, reads: ReadStore, workspaces: Workspaces, data: Path) -> None:
        self._log, self._reads = log, reads
        self._workspaces = workspaces
        self._data = data

    def check(self) -> Checked:
        """Recompute the hashes of all contents that events refer to, even if a chat has no folder."""
        with self._reads.reader() as cursor:
            chats = reached_contents(cursor, self._store)
            versions = toolset_hashes(cursor)
            deleted = {row[0] for row in cursor.execute(_DELETED).fetchall()}
        count = 0
        missing: list[BadBlob] = []
        damaged: list[BadBlob] = []
        removed: list[RemovedBlob] = []
        for chat_id, reached in sorted(chats.items()):
            found = self._checked(chat_id, reached)
            count += found.blobs
            damaged += [BadBlob(chat_id, sha256) for sha256 in found.damaged]
            if chat_id in deleted:
                removed += [RemovedBlob(chat_id, sha256, "chat deleted") for sha256 in found.missing]
            else:
                missing += [BadBlob(chat_id, sha256) for sha256 in found.missing]
            removed += self._removed(chat_id, reached)
        bad = [
            BadFile(name.split("/")[0], name.split("/")[1], one.path, one.what)
            for name, hashes in sorted(versions.items())
            for one in deviations(self._data / "toolsets" / name, hashes)
        ]
        return Checked(
            ok=not missing and not damaged and not bad,
            blobs=count,
            missing=tuple(missing),
            damaged=tuple(damaged),
            removed=tuple(removed),
            toolset_files=sum(map(len, versions.values())),
            bad_files=tuple(bad),
        )

    def _checked(self, chat_id: str, reached: Reached) -> BlobCheck:
        """Check the hashes of a chat's contents.

        Missing contents are not reported if their hashes occur only in tools' results.
        """
        store, wanted = self._store(chat_id), reached.kept
        nothing = BlobCheck(len(wanted), tuple(sorted(wanted)), ())
        found = store.check(wanted) if store is not None else nothing
        if not found.missing:
            return found
        named = strictly_named(self._log.read_stream(stream_of(chat_id)), store)
        missing = tuple(sha256 for sha256 in found.missing if sha256 in named)
        return BlobCheck(found.blobs - len(found.missing) + len(missing), missing, found.damaged)

    def _removed(self, chat_id: str, reached: Reached) -> list[RemovedBlob]:
        store = self._store(chat_id)
        gone = [sha256 for sha256 in sorted(reached.gone) if store is None or not store.has(sha256)]
        return [RemovedBlob(chat_id, sha256, "retention") for sha256 in gone]

    def _store(self, chat_id: str) -> FolderBlobs | None:
        if not (self._data / "chats" / chat_id / "blobs").is_dir():
            return None
        try:
            return self._workspaces.blobs(chat_id)
        except NotFound:  # the id is not valid as the name of a folder
            return None
