"""Handles commands about a chat's files: the user's uploads and edits."""

import io
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType
from typing import BinaryIO, cast

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.commands.catalog import ReceiveFile, RemoveFile, RenameFile, SaveFile, Upload, UploadFiles
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused, Unavailable
from engine.workspace.limits import USUAL, Room, room_in
from engine.workspace.manifest import FileEntry, Files
from engine.workspace.paths import require_path
from engine.workspace.pieces import Pieces
from engine.workspace.readers import FileToRead, Unreadable
from engine.workspace.uploads import free_name, free_names, harmless_name, require_room
from events.event import Event
from events.identity import NewId

__all__ = ["FileCommands", "require_uploads"]

_TOLD_EVERY = 0.25
"""The minimum time between two reports of an upload's progress, in seconds."""


class FileCommands:
    """Handles the commands about files."""

    def __init__(self, *, chats: Chats, workspaces: Workspaces, signals: Signals, new_id: NewId) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._signals = signals
        self._new_id = new_id

    def upload(self, command: UploadFiles) -> list[str]:
        """See `UploadFiles`."""
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            added = self.store(command.chat_id, state, state.manifest, command.files)
            self._record(command.chat_id, {**state.files(state.manifest), **added}, "user_upload", None)
        return list(added)

    def store(
        self, chat_id: str, state: ChatState, manifest_id: str | None, uploads: Sequence[Upload]
    ) -> dict[str, FileEntry]:
        """Store uploads as blobs under names that are free in the manifest `manifest_id`; return path → file."""
        existing = state.files(manifest_id)
        kept = self.keep(chat_id, uploads, existing)
        names = free_names(existing, [name for name, _ in kept])
        return {name: entry for name, (_, entry) in zip(names, kept, strict=True)}

    def keep(self, chat_id: str, uploads: Sequence[Upload], existing: Files) -> list[tuple[str, FileEntry]]:
        """Store uploads as blobs and return their names and files. Raise `Refused` if they exceed the chat's limits."""
        if not uploads:
            return []
        blobs = self._workspaces.blobs(chat_id)
        require_uploads(uploads, existing, room_in(blobs.root))
        kept = []
        with blobs.batch() as batch:
            for upload in uploads:
                content = upload.content
                try:
                    with io.BytesIO(content) if isinstance(content, bytes) else FileToRead(content) as stream:
                        blob = batch.put_stream(stream)
                except (Unreadable, FileNotFoundError, PermissionError) as error:
                    raise _unread(upload, error) from None
                kept.append((upload.name, FileEntry(blob.sha256, blob.size)))
        return kept

    def receive(self, command: ReceiveFile) -> str:
        """See `ReceiveFile`.

        The chat is not locked while the bytes arrive. It is locked when the file is added to the store and recorded;
        otherwise `gc` could remove the file as unreferenced.
        """
        chat_id = command.chat_id
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            existing = state.files(state.manifest)
        blobs = self._workspaces.blobs(chat_id)
        require_room(existing, [(command.name, command.size or 0)], room=room_in(blobs.root))
        pieces = Pieces(command.pieces, self._telling(command))
        with ExitStack() as locked:
            with blobs.batch() as batch:
                blob = batch.put_stream(cast("BinaryIO", pieces))
                if command.size is not None and pieces.count != command.size:
                    raise Refused(
                        "upload_cut",
                        f"{command.name} has {command.size:,} bytes, but {pieces.count:,} arrived. Nothing was added. "
                        "Upload it again.",
                    )
                self._workspaces.record_edits(chat_id)
                state = locked.enter_context(self._chats.locked(chat_id))
                decide.require(state, chat_id)
                files = state.files(state.manifest)
                require_room(files, [(command.name, 0)])
            if not blobs.has(
                blob.sha256
            ):  # the store already had this file, but `gc` removed it during the upload
                raise Unavailable("upload_lost", f"{command.name} was not added. Upload it again.")
            name = free_name(files, harmless_name(command.name))
            self._record(chat_id, {**files, name: FileEntry(blob.sha256, blob.size)}, "user_upload", None)
        self._workspaces.sync(chat_id)
        self._signals.changed(chat_id)
        return name

    def _telling(self, command: ReceiveFile) -> Callable[[int], None]:
        """Return a function that reports to the chat's watchers how many bytes have arrived, a few times a second."""
        last = 0.0

        def told(count: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _TOLD_EVERY:
                last = time.monotonic()
                self._signals.upload(command.chat_id, command.name, count, command.size)

        return told

    def save(self, command: SaveFile) -> None:
        """See `SaveFile`."""
        require_path(command.path)
        with self._chats.locked(command.chat_id) as state:
            decide.require_quiet(state, command.chat_id)
            files = state.files(state.manifest)
            present = files.get(command.path)
            if command.opened_sha256 is None and present is not None and not command.replaces:
                raise Refused(
                    "file_exists",
                    f"A file {command.path} already exists. To replace it, give `replaces`, or the hash of its "
                    "current content as `opened_sha256`.",
                )
            if not command.replaces and (present.sha256 if present else None) != command.opened_sha256:
                raise Refused(
                    "file_changed",
                    f"{command.path} changed since you opened it. Compare both, then save again or save a copy.",
                )
            blob = self._workspaces.blobs(command.chat_id).put_bytes(command.content)
            entry = FileEntry(blob.sha256, blob.size, present.executable if present else False)
            self._record(command.chat_id, {**files, command.path: entry}, "edit", command.path)

    def rename(self, command: RenameFile) -> None:
        """See `RenameFile`."""
        require_path(command.new_path)
        with self._chats.locked(command.chat_id) as state:
            decide.require_quiet(state, command.chat_id)
            files = dict(state.files(state.manifest))
            entry = _required(files, command.path)
            del files[command.path]
            if free_name(files, command.new_path) != command.new_path:
                raise Refused(
                    "file_exists",
                    f"A file or folder named {command.new_path} already exists. Choose another name.",
                )
            self._record(command.chat_id, {**files, command.new_path: entry}, "edit", command.path)

    def remove(self, command: RemoveFile) -> str:
        """See `RemoveFile`."""
        with self._chats.locked(command.chat_id) as state:
            decide.require_quiet(state, command.chat_id)
            files = dict(state.files(state.manifest))
            entry = _required(files, command.path)
            del files[command.path]
            self._record(command.chat_id, files, "edit", command.path)
        return entry.sha256

    def _record(self, chat_id: str, files: Mapping[str, FileEntry], source: str, ref: str | None) -> None:
        def decided(state: ChatState) -> Sequence[Event]:
            return decide.record_state(
                state,
                files,
                self._new_id,
                parent_id=state.manifest,
                message_id=state.leaf,
                source="edit" if source == "edit" else "user_upload",
                source_ref=ref,
                active=True,
            )

        self._chats.transact(chat_id, decided)


def _required(files: Mapping[str, FileEntry], path: str) -> FileEntry:
    if path not in files:
        raise NotFound("file_not_found", f"The file {path} no longer exists.")
    return files[path]


def require_uploads(
    uploads: Sequence[Upload], existing: Files = MappingProxyType({}), room: Room | None = None
) -> None:
    """Refuse uploads that cannot be read, or that are too many or too large together with the files in `existing`."""
    sizes = [(upload.name, _size(upload)) for upload in uploads]
    require_room(existing, sizes, USUAL, room)


def _unread(upload: Upload, error: Exception) -> Refused:
    return Refused(
        "file_unread",
        f"{upload.name} could not be read: {error}. Nothing was added. Check the file, then add it again.",
    )


def _size(upload: Upload) -> int:
    if isinstance(upload.content, bytes):
        return len(upload.content)
    try:
        found = upload.content.stat()
    except OSError as error:
        raise NotFound("file_not_found", f"{upload.content} cannot be read: {error.strerror}.") from None
    if not stat.S_ISREG(found.st_mode):
        raise Refused("not_a_file", f"{upload.content} is not a file. Give the path of a file.")
    return found.st_size
