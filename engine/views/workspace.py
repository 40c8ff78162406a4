"""A chat's files for display: from manifests and blobs, never from the folder (WSP-5)."""

import hashlib
import io
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from uuid import uuid4

from engine.chats.open_chats import Chats
from engine.chats.workspaces import Workspaces
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused
from engine.runtime.pool import OnProgress
from engine.tools.linked_files import is_link
from engine.tools.tables import Tables, TablesSeen
from engine.views.chats import ChatReads
from engine.views.table_reading import TableReading, TablesShown
from engine.workspace.blobs import FolderBlobs
from engine.workspace.limits import in_units
from engine.workspace.links import Link, NotALink, link_of
from engine.workspace.manifest import Changes, FileEntry
from engine.workspace.table_facts import TableProfile
from events.catalog.workspace import LINKED, ManifestRecorded

__all__ = ["LINKED", "FileEntry", "TablesShown", "WorkspaceReads", "is_link"]

_MOST_ZIPPED = 1 << 30
"""The maximum number of bytes in one ZIP."""


class WorkspaceReads:
    """Reads the states of a chat's files."""

    def __init__(
        self,
        chats: Chats,
        views: ChatReads,
        workspaces: Workspaces,
        tables: Tables,
        changed: Callable[[str], None],
    ) -> None:
        """`changed` is called with a chat's id to make its watchers read the chat again."""
        self._chats = chats
        self._views = views
        self._workspaces = workspaces
        self._tables = tables
        self._background = TableReading(tables, changed)

    def files(self, chat_id: str, manifest_id: str | None = None) -> Mapping[str, FileEntry]:
        """Return all files of a state by path, by default of the chat's current state.

        Raises:
            NotFound: there is no such chat or state.
        """
        view = self._views.chat(chat_id)
        if manifest_id is not None and manifest_id not in view.manifests:
            raise _no_manifest(manifest_id)
        return view.files(manifest_id or view.manifest)

    def manifest_at(self, chat_id: str, message_id: str) -> str | None:
        """Return the state of the files at a message; None if there was none yet.

        Raises:
            NotFound: there is no such chat or message.
        """
        with self._chats.locked(chat_id) as state:
            _require(state, chat_id)
            if message_id not in state.messages:
                raise NotFound("message_not_found", f"There is no message {message_id} in this chat.")
            return state.manifest_at(message_id)

    def changes(self, chat_id: str, manifest_id: str) -> Changes:
        """Return the changes from a state's parent to that state. Raise `NotFound` if there is no such state."""
        view = self._views.chat(chat_id)
        if manifest_id not in view.manifests:
            raise _no_manifest(manifest_id)
        return view.state(manifest_id)[1]

    def read(self, chat_id: str, sha256: str) -> bytes:
        """Return a file's bytes by their hash. Raise `NotFound` if they are not stored, or `Unavailable` if damaged."""
        return self._blobs(chat_id).read(sha256)

    def link(self, chat_id: str, path: str, sha256: str) -> Link | None:
        """Return the link in a file; None if the file is not a link."""
        if not is_link(path):
            return None
        try:
            return link_of(self.read(chat_id, sha256))
        except (NotALink, NotFound):
            return None

    def hashed(self, link: Link) -> Mapping[str, str]:
        """Return the known hashes of a link's files. Other hashes are being computed."""
        return self._workspaces.locations.hashes.of(link)

    def path(self, chat_id: str, sha256: str) -> Path:
        """Return the path of a file's bytes, for readers that need a real file. It is read-only."""
        return self._blobs(chat_id).path(sha256)

    def tables(self, chat_id: str, manifest_id: str | None = None) -> tuple[TableProfile, ...]:
        """Return the tables of a state. If they have not been profiled yet, they are profiled now, in a separate
        copy."""
        files = self.files(chat_id, manifest_id)
        known = self._tables.known(files)
        return known if known is not None else self._look(chat_id, files, None).tables

    def known_tables(self, chat_id: str, manifest_id: str) -> tuple[TableProfile, ...]:
        """Return the tables of a state if they were profiled before; nothing is read."""
        return self._tables.known(self.files(chat_id, manifest_id)) or ()

    def tables_known_last(self, chat_id: str) -> tuple[TableProfile, ...]:
        """Return the known tables at the chat's current message; nothing is read.

        If the current state was never profiled, these are the tables of the last earlier state whose files are still
        the same.
        """
        view = self._views.chat(chat_id)
        present, at = view.files(view.manifest), view.manifest
        while at is not None:
            files = view.files(at)
            if known := self._tables.known(files):
                return tuple(t for t in known if present.get(t.path) == files.get(t.path))
            at, _ = view.state(at)
        return ()

    def tables_in(self, folder: Path) -> tuple[TableProfile, ...]:
        """Return the tables of a folder that belongs to no chat, such as the sample data."""
        return self._tables.look(_files_in(folder), folder).tables

    def tables_known_in(self, folder: Path) -> tuple[TableProfile, ...] | None:
        """Return the tables of a folder that belongs to no chat, if they are known; nothing is read."""
        return self._tables.known(_files_in(folder))

    def seen(self, chat_id: str, manifest_id: str | None = None) -> TablesShown:
        """Return the tables of a state that are known so far; start reading the other tables without waiting for them.

        Watchers of the chat get a signal `changed` when this is done.
        """
        files = self.files(chat_id, manifest_id)
        return self._background.seen(chat_id, files, partial(self._look, chat_id, files))

    def try_again(self, chat_id: str) -> None:
        """Read files again if they failed for lack of time or memory."""
        self._tables.retry()
        self._background.again(chat_id)
        self.seen(chat_id)

    def _look(
        self, chat_id: str, files: Mapping[str, FileEntry], on_progress: OnProgress | None
    ) -> TablesSeen:
        copy = self._workspaces.of_call(chat_id, f"tables-{uuid4().hex}")
        try:
            copy.workspace.materialize(self._tables.read_of(files))
            return self._tables.look(files, copy.workspace.folder, on_progress=on_progress)
        finally:
            copy.remove()

    def named_in(self, chat_id: str, manifest_id: str | None, sql: str) -> dict[str, FileEntry]:
        """Return the files of a state whose tables `sql` names: path → file. Only tables that a call or a request to a
        model has read before are found.
        """
        if manifest_id is None:
            return {}
        files = self.files(chat_id, manifest_id)
        words = {word.lower() for word in re.findall(r"\w+", sql)}
        return {
            path: files[path]
            for name, path in self._tables.names(files)
            if name.lower() in words and path in files
        }

    def origin(self, chat_id: str, path: str) -> ManifestRecorded | None:
        """Return the state that last changed a file, as seen from the current message; None if there is none."""
        with self._chats.locked(chat_id) as state:
            at = state.manifests.get(state.manifest or "")
            while at is not None and path not in at.added and path not in at.changed:
                at = state.manifests.get(at.parent_id or "")
            return at

    def zipped(self, chat_id: str) -> bytes:
        """Return all current files of the chat in a ZIP; files whose content is no longer stored are listed in a
        separate file.

        Raises:
            Refused: the files are too large to pack at once.
        """
        files, missing = self.files(chat_id), []
        size = sum(entry.size for entry in files.values())
        if size > _MOST_ZIPPED:
            raise Refused(
                "too_much_to_pack",
                f"These files have {in_units(size)} in total; a ZIP can contain at most {in_units(_MOST_ZIPPED)}. "
                f"Download the large ones one by one, or copy the folder chats/{chat_id}/workspace in the data folder.",
            )
        blobs, packed = self._blobs(chat_id), io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path, entry in files.items():
                try:
                    with (
                        blobs.open(entry.sha256) as stream,
                        archive.open(_listed(path), "w", force_zip64=True) as target,
                    ):
                        shutil.copyfileobj(stream, target, 1 << 20)
                except NotFound:
                    missing.append(path)
            if missing:
                archive.writestr("files-no-longer-stored.txt", "\n".join(missing) + "\n")
        return packed.getvalue()

    def _blobs(self, chat_id: str) -> FolderBlobs:
        self._views.chat(chat_id)  # raises if there is no such chat
        return self._workspaces.blobs(chat_id)


def _listed(path: str) -> zipfile.ZipInfo:
    """Return a ZIP entry that does not reveal when it was packed."""
    listed = zipfile.ZipInfo(path)
    listed.compress_type = zipfile.ZIP_DEFLATED
    listed.external_attr = 0o644 << 16
    return listed


def _require(state: ChatState, chat_id: str) -> None:
    if not state.exists:
        raise NotFound("chat_not_found", f"There is no chat {chat_id}.")


def _no_manifest(manifest_id: str) -> NotFound:
    return NotFound("manifest_not_found", f"This chat has no recorded state {manifest_id} of its files.")


def _files_in(folder: Path) -> dict[str, FileEntry]:
    return {
        path.name: FileEntry(hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
