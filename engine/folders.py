"""Which folder a chat's work happens in, and at which state of the files each folder stands.

A chat has one workspace folder. The first running turn takes it; a second one at the same time, on another branch,
gets a folder of its own, which goes when it ends. Beside each folder stands a marker: the state that the folder was
brought to, and the call, if any, that may be changing it. So after a crash one can tell the user's own edits from what
an interrupted call left behind, and both from a half-done materialize.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from engine.chats import Chats
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.workspace.blobs import FolderBlobs
from engine.workspace.folder import Workspace
from engine.workspace.snapshot import Snapshot
from events.catalog.workspace import LeftOut, ManifestRecorded
from events.identity import NewId

__all__ = ["ChatFolder", "Folders", "Marker", "left_out"]


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a folder stands."""

    manifest_id: str | None = None
    call_id: str | None = None
    """The call that may be changing it."""
    moving: bool = False
    """A materialize was under way."""


class ChatFolder:
    """A folder with its marker."""

    def __init__(self, folder: Path, blobs: FolderBlobs) -> None:
        self.workspace = Workspace(folder, blobs)
        self._marker = folder.with_name(f"{folder.name}.json")

    @property
    def marker(self) -> Marker:
        """What is known of the folder; that it is empty where nothing is."""
        try:
            return Marker(**json.loads(self._marker.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return Marker()

    def mark(self, marker: Marker) -> None:
        """Remember where the folder stands."""
        fresh = self._marker.with_suffix(".new")
        fresh.write_text(
            json.dumps(
                {"manifest_id": marker.manifest_id, "call_id": marker.call_id, "moving": marker.moving}
            )
        )
        fresh.replace(self._marker)

    def bring(self, state: ChatState, manifest_id: str | None) -> None:
        """Bring the folder to a state of the files. What is in it and in no state is lost: settle it first."""
        self.mark(Marker(manifest_id, moving=True))
        self.workspace.materialize(state.files(manifest_id))
        self.mark(Marker(manifest_id))

    def remove(self) -> None:
        """Delete the folder and its marker."""
        shutil.rmtree(self.workspace.folder, ignore_errors=True)
        self._marker.unlink(missing_ok=True)


class Folders:
    """The folders of all chats below `<data>/chats`."""

    def __init__(self, data: Path, chats: Chats, new_id: NewId) -> None:
        self._root = data / "chats"
        self._chats = chats
        self._new_id = new_id
        self._lock = Lock()
        self._blobs: dict[str, FolderBlobs] = {}
        self._main: dict[str, ChatFolder] = {}
        self._taken: set[str] = set()

    def blobs(self, chat_id: str) -> FolderBlobs:
        """The chat's blob store."""
        with self._lock:
            if chat_id not in self._blobs:
                self._blobs[chat_id] = FolderBlobs(self._root / chat_id / "blobs")
            return self._blobs[chat_id]

    def main(self, chat_id: str) -> ChatFolder:
        """The chat's workspace folder, whoever works in it."""
        blobs = self.blobs(chat_id)
        with self._lock:
            if chat_id not in self._main:
                self._main[chat_id] = ChatFolder(self._root / chat_id / "workspace", blobs)
            return self._main[chat_id]

    def of_turn(self, chat_id: str, turn_id: str) -> ChatFolder:
        """A turn's own folder."""
        return ChatFolder(self._root / chat_id / "turns" / turn_id, self.blobs(chat_id))

    def of_call(self, chat_id: str, call_id: str) -> ChatFolder:
        """A call's own copy."""
        return ChatFolder(self._root / chat_id / "calls" / call_id, self.blobs(chat_id))

    @contextmanager
    def leased(self, chat_id: str, turn_id: str) -> Iterator[ChatFolder]:
        """A folder for a turn: the chat's own if no other turn has it, settled before and brought back after."""
        main = self.main(chat_id)
        with self._lock:
            own = chat_id not in self._taken
            self._taken.add(chat_id)
        if not own:
            folder = self.of_turn(chat_id, turn_id)
            try:
                yield folder
            finally:
                folder.remove()
            return
        try:
            self._settle(chat_id, main)
            yield main
        finally:
            with self._lock:
                self._taken.discard(chat_id)
            self.follow(chat_id)

    def settle(self, chat_id: str) -> None:
        """Record what the user changed in the idle folder; a folder in which a turn works is that turn's."""
        with self._lock:
            busy = chat_id in self._taken
        if not busy and (self._root / chat_id / "workspace").is_dir():
            self._settle(chat_id, self.main(chat_id))

    def follow(self, chat_id: str) -> None:
        """Bring the idle folder to where the chat stands, keeping first what the user changed in it."""
        with self._lock:
            if chat_id in self._taken:
                return
        main = self.main(chat_id)
        self._settle(chat_id, main)
        with self._chats.locked(chat_id) as state:
            if main.marker != Marker(state.manifest):
                main.bring(state, state.manifest)

    def _settle(self, chat_id: str, main: ChatFolder) -> None:
        marker = main.marker
        if marker.call_id is not None:
            return
        with self._chats.locked(chat_id) as state:
            if not state.exists:
                return
            if marker.moving:
                main.bring(state, marker.manifest_id)
                return
            if not main.workspace.changes_since(state.files(marker.manifest_id)):
                return
            snapshot = main.workspace.snapshot()
            recorded = self._chats.transact(chat_id, lambda now: self._edited(now, marker, snapshot))
            for record in recorded:
                if isinstance(record.event, ManifestRecorded):
                    main.mark(Marker(record.event.manifest_id))

    def _edited(self, state: ChatState, marker: Marker, snapshot: Snapshot) -> list[ManifestRecorded]:
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
            source_ref="workspace folder",
            active=stood,
            left_out=left_out(snapshot),
        )


def left_out(snapshot: Snapshot) -> list[LeftOut]:
    """What a snapshot left out, as an event holds it."""
    return [LeftOut(path=skipped.path, reason=skipped.reason) for skipped in snapshot.skipped[:100]]
