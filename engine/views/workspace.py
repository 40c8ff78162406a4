"""A chat's files as they are shown: from manifests and blobs, never from the folder (WSP-5)."""

import re
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from engine.chats import Chats
from engine.deciders.chat_state import ChatState, changes_of
from engine.errors import NotFound
from engine.folders import Folders
from engine.tables import TableProfile
from engine.tools.tables import Tables
from engine.workspace.blobs import FolderBlobs
from engine.workspace.manifest import Changes, FileEntry

__all__ = ["WorkspaceReads"]


class WorkspaceReads:
    """Reads a chat's states of the files."""

    def __init__(self, chats: Chats, folders: Folders, tables: Tables) -> None:
        self._chats = chats
        self._folders = folders
        self._tables = tables

    def files(self, chat_id: str, manifest_id: str | None = None) -> Mapping[str, FileEntry]:
        """The full map of a state, by default of where the chat stands."""
        with self._chats.locked(chat_id) as state:
            _require(state, chat_id)
            if manifest_id is not None and manifest_id not in state.manifests:
                raise _no_manifest(manifest_id)
            return state.files(manifest_id or state.manifest)

    def manifest_at(self, chat_id: str, message_id: str) -> str | None:
        """The state of the files at a message; None where there was none yet."""
        with self._chats.locked(chat_id) as state:
            _require(state, chat_id)
            if message_id not in state.messages:
                raise NotFound("message_not_found", f"There is no message {message_id} in this chat.")
            return state.manifest_at(message_id)

    def changes(self, chat_id: str, manifest_id: str) -> Changes:
        """What a state changed against its parent."""
        with self._chats.locked(chat_id) as state:
            if manifest_id not in state.manifests:
                raise _no_manifest(manifest_id)
            return changes_of(state.manifests[manifest_id])

    def read(self, chat_id: str, sha256: str) -> bytes:
        """A file's bytes by their hash."""
        return self._blobs(chat_id).read(sha256)

    def path(self, chat_id: str, sha256: str) -> Path:
        """Where a file's bytes stand, read-only; for readers that want a file of their own kind."""
        return self._blobs(chat_id).path(sha256)

    def tables(self, chat_id: str, manifest_id: str | None = None) -> tuple[TableProfile, ...]:
        """The tables of a state; a state that was never profiled is profiled now, in a copy of its own."""
        files = self.files(chat_id, manifest_id)
        known = self._tables.known(files)
        if known is not None:
            return known
        copy = self._folders.of_call(chat_id, f"tables-{uuid4().hex}")
        try:
            copy.workspace.materialize(files)
            return self._tables.of(files, copy.workspace.folder)
        finally:
            copy.remove()

    def named_in(self, chat_id: str, manifest_id: str | None, sql: str) -> dict[str, FileEntry]:
        """The files of a state whose tables `sql` names, as far as that state was ever profiled: path → file."""
        if manifest_id is None:
            return {}
        files = self.files(chat_id, manifest_id)
        words = {word.lower() for word in re.findall(r"\w+", sql)}
        return {
            table.path: files[table.path]
            for table in self._tables.known(files) or ()
            if table.name.lower() in words and table.path in files
        }

    def unread(self, chat_id: str, manifest_id: str | None = None) -> Mapping[str, str]:
        """Why files of a state that look like tables are none, as far as it was profiled: path → reason in words."""
        return self._tables.known_unread(self.files(chat_id, manifest_id))

    def _blobs(self, chat_id: str) -> FolderBlobs:
        with self._chats.locked(chat_id) as state:
            _require(state, chat_id)
        return self._folders.blobs(chat_id)


def _require(state: ChatState, chat_id: str) -> None:
    if not state.exists:
        raise NotFound("chat_not_found", f"There is no chat {chat_id}.")


def _no_manifest(manifest_id: str) -> NotFound:
    return NotFound("manifest_not_found", f"This chat has no recorded files {manifest_id}.")
