"""The folders in which a chat's calls run, and the state of the files in each folder.

A chat has one workspace folder. The first running turn uses it; a second turn at the same time, on another branch, gets
its own folder, which is removed when the turn ends. A marker next to each folder records the state of the folder, and
the call, if any, that may be changing it. So after a crash, the user's edits can be distinguished from the files of an
interrupted call, and both from the files of an incomplete checkout.

Locks are taken in this order: the chat's folder, then the chat (`Chats.locked`), then the log. A thread that holds a
chat's lock must not ask for its folder.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock

from engine.chats.chat_folder import ChatFolder, Marker
from engine.chats.locations import LocationBook
from engine.chats.open_chats import Chats
from engine.chats.payloads import PayloadStore
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError, NotFound, Unavailable
from engine.secrets.scrubber import Scrubber
from engine.system.folder_removal import remove_tree
from engine.workspace.blobs import FolderBlobs
from engine.workspace.copying import shares_blocks
from engine.workspace.scratch_blobs import ScratchBlobs
from engine.workspace.snapshot import Snapshot
from events.catalog.workspace import LINKED, LeftOut, ManifestRecorded
from events.identity import NewId

__all__ = ["Workspaces", "left_out"]

_log = logging.getLogger("anabranch.workspaces")
_FILLED_AT_ONCE = 16 << 20
"""If the files of a fork need at most this many bytes on the disk, its folder is filled at once, else on first use."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
"""The pattern of ids that may be used as the name of a folder."""


class Workspaces:
    """The folders of all chats below `<data>/chats`."""

    def __init__(
        self, data: Path, chats: Chats, scrubber: Scrubber, new_id: NewId, locations: LocationBook
    ) -> None:
        self.locations = locations
        self._root = data / "chats"
        self._chats = chats
        self._scrubber = scrubber
        self._new_id = new_id
        self._lock = Lock()
        self._idle: dict[str, RLock] = {}
        self._blobs: dict[str, FolderBlobs] = {}
        self._main: dict[str, ChatFolder] = {}
        self._taken: set[str] = set()

    def blobs(self, chat_id: str) -> FolderBlobs:
        """Return the chat's blob store."""
        place = self._place(chat_id)
        with self._lock:
            if chat_id not in self._blobs:
                self._blobs[chat_id] = FolderBlobs(place / "blobs", self._stores)
            return self._blobs[chat_id]

    def payloads(self, chat_id: str) -> PayloadStore:
        """Return the chat's payload store."""
        return PayloadStore(self.blobs(chat_id), self._scrubber)

    def main(self, chat_id: str) -> ChatFolder:
        """Return the chat's main workspace folder; it is created again if someone deleted it."""
        blobs = self.blobs(chat_id)
        folder = self._place(chat_id) / "workspace"
        with self._lock:
            if chat_id not in self._main or not folder.is_dir():
                self._main[chat_id] = ChatFolder(folder, blobs)
            return self._main[chat_id]

    def of_turn(self, chat_id: str, turn_id: str) -> ChatFolder:
        """Return the folder of a turn that cannot use the chat's own folder."""
        return ChatFolder(self._place(chat_id) / "turns" / turn_id, self.blobs(chat_id))

    def of_call(self, chat_id: str, call_id: str) -> ChatFolder:
        """Return a separate folder for one tool call. The code that asks for the folder puts the files into it."""
        return ChatFolder(self._place(chat_id) / "calls" / call_id, self.blobs(chat_id))

    @contextmanager
    def scratch(self, chat_id: str, name: str) -> Iterator[ChatFolder]:
        """Yield a temporary folder. It can use the chat's contents; new contents are deleted together with the folder.

        If the engine is killed, the folder is removed like the folders of calls.
        """
        place = self._place(chat_id) / "calls" / name
        chat = self.blobs(chat_id)
        try:
            own = FolderBlobs(place / "blobs", lambda: [chat.root])
            yield ChatFolder(place / "workspace", ScratchBlobs(own, chat))
        finally:
            remove_tree(place)

    def forget(self, chat_id: str) -> None:
        """Remove a folder that was prepared for a new chat, because the chat was not created after all."""
        with self._lock:
            self._blobs.pop(chat_id, None)
        remove_tree(self._place(chat_id))

    def lost(self, chat_id: str, hashes: Iterable[str]) -> None:
        """Record that blobs of a chat were removed, so that folders do not assume that they are still stored."""
        with self._lock:
            main = self._main.get(chat_id)
        if main is not None:
            main.workspace.lost(hashes)

    def sweep(self) -> None:
        """Remove folders of turns and calls that a killed engine left behind. Call this before anything runs.

        Folders of chats that are not in this log are kept, because they may belong to another log.
        """
        for kind in ("turns", "calls"):
            for leftover in self._root.glob(f"*/{kind}"):
                with self._chats.locked(leftover.parent.name) as state:
                    known = state.exists
                if known:
                    remove_tree(leftover)

    @contextmanager
    def leased(self, chat_id: str, turn_id: str) -> Iterator[ChatFolder]:
        """Yield a folder for a turn: the chat's own folder if no other turn uses it, otherwise a temporary folder.

        In the chat's own folder, the user's edits are recorded first, and the folder is updated to the chat's current
        message afterwards.
        """
        if not self._take(chat_id):
            folder = self.of_turn(chat_id, turn_id)
            try:
                yield folder
            finally:
                folder.remove()
            return
        try:
            yield self.main(chat_id)
        finally:
            with self._lock:
                self._taken.discard(chat_id)
            try:
                self.sync(chat_id)
            except AnabranchError:
                # an error here must not prevent the end of the turn; the next question updates the folder
                _log.warning("The folder of chat %s could not be updated.", chat_id, exc_info=True)

    def _take(self, chat_id: str) -> bool:
        with self._idle_lock(chat_id):
            with self._lock:
                if chat_id in self._taken:
                    return False
            self._record_edits(chat_id)
            with self._lock:
                self._taken.add(chat_id)
            return True

    def record_edits(self, chat_id: str) -> None:
        """Record the user's changes in the chat's folder, unless a turn is using the folder."""
        if not (self._place(chat_id) / "workspace").is_dir():
            return
        with self._idle_lock(chat_id):
            if not self._is_taken(chat_id):
                self._record_edits(chat_id)

    def begin(self, chat_id: str) -> None:
        """Fill the folder of a fork now if that takes little space on the disk; otherwise it is filled on first use."""
        with self._chats.locked(chat_id) as state:
            size = sum(entry.size for entry in state.files(state.manifest).values())
        if size <= _FILLED_AT_ONCE or shares_blocks(self._place(chat_id)):
            self.sync(chat_id)

    def sync(self, chat_id: str) -> None:
        """Record the user's changes in the chat's folder, then update it to the chat's current message. Does nothing
        while a turn is using the folder.
        """
        with self._idle_lock(chat_id):
            if self._is_taken(chat_id):
                return
            self._record_edits(chat_id)
            main = self.main(chat_id)
            while True:
                with self._chats.locked(chat_id) as state:
                    wanted, files = state.manifest, state.files(state.manifest)
                if main.marker == Marker(wanted):
                    return
                main.checkout(wanted, files)

    def _record_edits(self, chat_id: str) -> None:
        main = self.main(chat_id)
        with self._chats.locked(chat_id) as state:
            if not state.exists:
                return
            marker = self._known(main, state)
            if marker.call_id is not None:
                return
            if marker != main.marker:
                main.mark(marker)
            stands = state.files(marker.manifest_id)
        if marker.moving:
            try:
                main.checkout(marker.manifest_id, stands)
            except (
                NotFound,
                Unavailable,
            ) as error:  # a file's content is missing or damaged; the user can go to another message
                if error.code not in ("blob_missing", "blob_damaged"):
                    raise
                _log.warning("The folder of chat %s has changed.", chat_id, exc_info=True)
            return
        looked = self.locations.look(stands, main.workspace.folder)
        if not main.workspace.changes_since(stands):
            return
        # locked, because `gc` could otherwise remove the blobs as unreferenced
        with self._chats.locked(chat_id):
            snapshot = main.workspace.snapshot()
            recorded = self._chats.transact(
                chat_id,
                lambda now: self._edited(now, marker, snapshot, LINKED if looked else "workspace folder"),
            )
        for record in recorded:
            if isinstance(record.event, ManifestRecorded):
                main.mark(Marker(record.event.manifest_id))

    @staticmethod
    def _known(main: ChatFolder, state: ChatState) -> Marker:
        """Return the state of the folder. If no state is recorded, assume that a folder with files has the files of the
        chat's current message.
        """
        marker = main.marker
        if marker is not None and (marker.manifest_id is None or marker.manifest_id in state.manifests):
            return marker
        return Marker(state.manifest if any(main.workspace.folder.iterdir()) else None)

    def _edited(
        self, state: ChatState, marker: Marker, snapshot: Snapshot, ref: str
    ) -> list[ManifestRecorded]:
        """Return an event that records the user's edits as changes to the state in the folder. The edited files become
        the chat's current files only if the chat is still at that state.
        """
        stood = marker.manifest_id == state.manifest
        message_id = state.leaf
        if not stood and marker.manifest_id is not None:
            message_id = state.manifests[marker.manifest_id].message_id
        return record_state(
            state,
            snapshot.files,
            self._new_id,
            parent_id=marker.manifest_id,
            message_id=message_id,
            source="edit",
            source_ref=ref,
            active=stood,
            joined=state.manifest_at(message_id) == marker.manifest_id,
            left_out=left_out(snapshot),
        )

    def _is_taken(self, chat_id: str) -> bool:
        with self._lock:
            return chat_id in self._taken

    def _idle_lock(self, chat_id: str) -> RLock:
        with self._lock:
            return self._idle.setdefault(chat_id, RLock())

    def _stores(self) -> Iterator[Path]:
        return self._root.glob("*/blobs")

    def _place(self, chat_id: str) -> Path:
        if not _PLAIN.fullmatch(chat_id):
            raise NotFound("chat_not_found", f"{chat_id[:80]!r} is not the id of a chat.")
        return self._root / chat_id


def left_out(snapshot: Snapshot) -> list[LeftOut]:
    """Return at most 100 of the entries that a snapshot left out, in the form that an event stores."""
    return [LeftOut(path=skipped.path, reason=skipped.reason) for skipped in snapshot.skipped[:100]]
