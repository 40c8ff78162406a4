"""Removes contents that nothing refers to (WSP-6), but only if the log explains them, and records each removal."""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.app.maintenance.reachable_contents import Reached, reached_contents
from engine.app.maintenance.unexplained import (
    foreign_chats,
    foreign_copies,
    foreign_versions,
    require_known,
    toolset_hashes,
    work_of,
)
from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.commands.values import Collected, Unexplained
from engine.deciders.chat_state import ChatState
from engine.errors import Refused
from engine.system.folder_removal import remove_tree
from engine.toolsets.kept_files import COPIES
from engine.workspace.blobs import Blob, FolderBlobs
from events.catalog.workspace import ContentsRemoved
from events.late_dataclass import dataclass
from events.log import EventLog, LogUpkeep
from events.read_store import ReadStore

__all__ = ["Retention"]

_IN_AN_EVENT = 400
"""The maximum number of hashes in one event, about 27 KiB."""


@dataclass(frozen=True, slots=True)
class _Stray:
    """The contents of a chat that no event refers to."""

    leftovers: Sequence[Blob]
    """Contents that were written while the chat was working, or that were removed on purpose but are still present."""
    unexplained: Sequence[Blob]


class Retention:
    """Removes contents that are no longer needed."""

    def __init__(
        self,
        *,
        log: EventLog,
        upkeep: LogUpkeep,
        reads: ReadStore,
        chats: Chats,
        workspaces: Workspaces,
        data: Path,
        removed: Callable[[], None],
    ) -> None:
        """`removed` is called after blobs were removed, so that other parts can drop data made from these blobs."""
        self._log, self._upkeep, self._reads = log, upkeep, reads
        self._chats = chats
        self._workspaces = workspaces
        self._data = data
        self._root = data / "chats"
        self._removed = removed

    def collect(self, before: datetime | None = None, unexplained: Collection[str] = ()) -> Collected:
        """Remove contents that no event refers to. Chats in which something runs are skipped.

        With `before` (UTC), also remove file contents that were last recorded before that time and that are not in the
        files at any leaf. An event of the chat records this, and history shows that they are gone. Items that this log
        does not explain are returned and not removed, unless their names are in `unexplained`.

        Raises:
            Refused: the log is damaged, does not verify, or accepts no events (`log_damaged`).
            NotFound: a name in `unexplained` is not an unexplained item (`unexplained_not_found`). Nothing was removed.
        """
        self._require_trust()
        with self._reads.reader() as cursor:
            chats = reached_contents(cursor, self._store)
            versions = toolset_hashes(cursor)
        hashes = {sha256 for files in versions.values() for sha256 in files.values()}
        foreign = [
            *foreign_chats(self._root, chats),
            *foreign_versions(self._data / "toolsets", versions),
            *foreign_copies(self._data, hashes),
        ]
        candidates = [chat_id for chat_id in chats if self._may_remove(chat_id, chats[chat_id], before)]
        if unexplained:
            contents = {chat_id: chats[chat_id] for chat_id in candidates}
            require_known(unexplained, [*foreign, *self._unexplained_contents(contents)])
        removed = freed = 0
        left: list[Unexplained] = []
        for one in foreign:
            if one.name in unexplained:
                self._remove_foreign(one, hashes)
                removed, freed = removed + one.files, freed + one.bytes
            else:
                left.append(one)
        for chat_id in candidates:
            gone, over = self._collect_chat(chat_id, chats[chat_id], before, told=chat_id in unexplained)
            removed, freed = removed + gone[0], freed + gone[1]
            left += over
        if removed:
            self._removed()
        return Collected(removed, freed, tuple(left))

    def _require_trust(self) -> None:
        problem = self._upkeep.problem
        if problem is None and not (verified := self._log.verify()).ok:
            problem = verified.problem or "The log's hash chain is broken."
        if problem is not None:
            raise Refused(
                "log_damaged", f"Nothing was removed. {problem} `anabranch log verify` checks the log."
            )

    def _may_remove(self, chat_id: str, reached: Reached, before: datetime | None) -> bool:
        """Return whether a chat may contain something to remove. Most chats do not, and are not examined further."""
        blobs = self._store(chat_id)
        if blobs is None:
            return False
        kept, aged = reached.kept, _aged(reached, before)
        return any(blob.sha256 not in kept or blob.sha256 in aged for blob in blobs.all())

    def _unexplained_contents(self, chats: Mapping[str, Reached]) -> list[Unexplained]:
        found = []
        for chat_id, reached in chats.items():
            with self._chats.locked(chat_id) as state:
                if not state.works:
                    now = self._still(reached, state, chat_id)
                    found += _told(chat_id, self._stray(chat_id, now).unexplained)
        return found

    def _collect_chat(
        self, chat_id: str, reached: Reached, before: datetime | None, *, told: bool
    ) -> tuple[tuple[int, int], list[Unexplained]]:
        """Remove contents that a chat does not need. Return (number, bytes) of the removed files, and the unexplained
        files. If `told`, unexplained files are removed too. The chat is locked, so nothing is appended meanwhile.
        """
        with self._chats.locked(chat_id) as state:
            if state.works:
                return (0, 0), []
            reached, blobs = self._still(reached, state, chat_id), self._workspaces.blobs(chat_id)
            stray = self._stray(chat_id, reached)
            held = _held_by_leaves(state) if before is not None else set()
            aged = sorted(
                sha256 for sha256 in (_aged(reached, before) & reached.kept) - held if blobs.has(sha256)
            )
            self._record(chat_id, aged)
            going = [blob.sha256 for blob in (*stray.leftovers, *(stray.unexplained if told else ()))]
            gone = blobs.remove([*going, *aged])
            self._workspaces.lost(chat_id, [*going, *aged])
        return gone, [] if told else _told(chat_id, stray.unexplained)

    def _record(self, chat_id: str, hashes: Sequence[str]) -> None:
        """Record in the chat which contents are about to be removed. After a crash, the next `gc` removes them."""
        parts = [hashes[at : at + _IN_AN_EVENT] for at in range(0, len(hashes), _IN_AN_EVENT)]
        events = [ContentsRemoved(contents=tuple(part), reason="retention") for part in parts]
        self._chats.transact(chat_id, lambda _: events)

    def _stray(self, chat_id: str, reached: Reached) -> _Stray:
        blobs, kept = self._workspaces.blobs(chat_id), reached.kept
        leftovers: list[Blob] = []
        unexplained: list[Blob] = []
        stray = [blob for blob in blobs.all() if blob.sha256 not in kept]
        if not stray:
            return _Stray((), ())
        with self._reads.reader() as cursor:
            work = work_of(cursor, chat_id)
        for blob in stray:
            known = blob.sha256 in reached.removed
            known |= not reached.unread and work.explains(blobs.path(blob.sha256).stat().st_mtime)
            (leftovers if known else unexplained).append(blob)
        return _Stray(leftovers, unexplained)

    def _still(self, reached: Reached, state: ChatState, chat_id: str) -> Reached:
        """Return the contents that a chat refers to: `reached`, or read again if the chat has had new events since."""
        if reached.version == state.version:
            return reached
        with self._reads.reader() as cursor:
            return reached_contents(cursor, self._store, chat_id)[chat_id]

    def _store(self, chat_id: str) -> FolderBlobs | None:
        """Return a chat's blobs; None if their folder does not exist. The folder is not created."""
        return self._workspaces.blobs(chat_id) if (self._root / chat_id / "blobs").is_dir() else None

    def _remove_foreign(self, one: Unexplained, hashes: Collection[str]) -> None:
        if one.kind == "copies":
            copies = FolderBlobs(self._data / COPIES)
            copies.remove([blob.sha256 for blob in list(copies.all()) if blob.sha256 not in hashes])
        elif one.kind == "chat":
            remove_tree(self._root / one.name)
        else:
            folder = self._data / "toolsets" / one.name
            remove_tree(folder)
            with suppress(OSError):  # the folder contains other versions
                folder.parent.rmdir()


def _told(chat_id: str, blobs: Sequence[Blob]) -> list[Unexplained]:
    size = sum(blob.size for blob in blobs)
    return [Unexplained(chat_id, "contents", len(blobs), size)] if blobs else []


def _aged(reached: Reached, before: datetime | None) -> Set[str]:
    """Return the contents of files that were last named by an event before `before`."""
    if before is None:
        return set()
    limit = before.astimezone(UTC).replace(tzinfo=None)
    return {sha256 for sha256, naming in reached.named.items() if naming.is_file and naming.at < limit}


def _held_by_leaves(state: ChatState) -> Set[str]:
    parents = {message.parent_id for message in state.messages.values()}
    leaves = [message_id for message_id in state.messages if message_id not in parents]
    manifests = {state.manifest, *(state.manifest_at(leaf) for leaf in leaves), state.manifest_at(None)}
    return {entry.sha256 for manifest in manifests for entry in state.files(manifest).values()}
