"""Which blobs are kept: removing those that nothing reaches, and checking those that something does (WSP-6)."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.chats import Chats, stream_of
from engine.deciders.chat_state import ChatState
from engine.deciders.fork import blob_hashes
from engine.errors import NotFound, Refused
from engine.folders import Folders
from engine.keeping import value_of
from engine.workspace.blobs import BlobStore
from events.catalog.turn import ToolCallFinished
from events.catalog.workspace import ManifestRecorded
from events.event import Recorded
from events.log import EventLog

__all__ = ["BadBlob", "Checked", "Collected", "Retention", "reached"]


@dataclass(frozen=True, slots=True)
class Collected:
    """What `gc` removed."""

    removed: int
    bytes: int


@dataclass(frozen=True, slots=True)
class BadBlob:
    """A blob that an event names and that is not as it should be."""

    chat_id: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` found."""

    ok: bool
    blobs: int
    missing: tuple[BadBlob, ...]
    damaged: tuple[BadBlob, ...]


class Retention:
    """Looks after the blobs of all chats."""

    def __init__(
        self, *, log: EventLog, chats: Chats, folders: Folders, data: Path, removed: Callable[[], None]
    ) -> None:
        """`removed` is called when blobs were removed, for what is made of them and kept elsewhere."""
        self._log = log
        self._chats = chats
        self._folders = folders
        self._root = data / "chats"
        self._removed = removed

    def collect(self, before: datetime | None = None) -> Collected:
        """Remove blobs that no event reaches; a chat in which something runs is left for another time.

        With `before` (UTC), also file contents that were recorded only earlier than that and that no leaf's files
        hold: history then shows that they are gone.
        """
        if not self._log.verify().ok:
            raise Refused(
                "log_damaged", "The log does not verify, so nothing is removed. See `anabranch log verify`."
            )
        removed = freed = 0
        for chat_id in self._chat_ids():
            with self._chats.locked(chat_id) as state:
                if state.works:
                    continue
                blobs = self._folders.blobs(chat_id)
                kept = self._kept(chat_id, state, blobs, before)
                unreached = [blob.sha256 for blob in list(blobs.all()) if blob.sha256 not in kept]
                gone = blobs.remove(unreached)
                self._folders.lost(chat_id, unreached)
                removed, freed = removed + gone[0], freed + gone[1]
        if removed:
            self._removed()
        return Collected(removed, freed)

    def check(self) -> Checked:
        """Recompute the hash of every blob that an event reaches."""
        count, missing, damaged = 0, [], []
        for chat_id in self._chat_ids():
            blobs = self._folders.blobs(chat_id)
            found = blobs.check(reached(self._log.read_stream(stream_of(chat_id)), blobs))
            count += found.blobs
            missing += [BadBlob(chat_id, sha256) for sha256 in found.missing]
            damaged += [BadBlob(chat_id, sha256) for sha256 in found.damaged]
        return Checked(not missing and not damaged, count, tuple(missing), tuple(damaged))

    def _chat_ids(self) -> list[str]:
        return sorted(folder.name for folder in self._root.glob("*") if (folder / "blobs").is_dir())

    def _kept(self, chat_id: str, state: ChatState, blobs: BlobStore, before: datetime | None) -> Set[str]:
        recorded = self._log.read_stream(stream_of(chat_id))
        if before is None:
            return reached(recorded, blobs)
        old = [r for r in recorded if r.occurred_at < before]
        files_of_old = {h for r in old if isinstance(r.event, ManifestRecorded) for h in _own(r, blobs)}
        new = {h for r in recorded if r.occurred_at >= before for h in _own(r, blobs)}
        return new | (reached(old, blobs) - files_of_old) | (files_of_old & _held_by_leaves(state))


def _held_by_leaves(state: ChatState) -> Set[str]:
    parents = {message.parent_id for message in state.messages.values()}
    leaves = [message_id for message_id in state.messages if message_id not in parents]
    manifests = {state.manifest, *(state.manifest_at(leaf) for leaf in leaves), state.manifest_at(None)}
    return {entry.sha256 for manifest in manifests for entry in state.files(manifest).values()}


def reached(recorded: list[Recorded], blobs: BlobStore) -> Set[str]:
    """The hashes that a chat's events name, and the contents that those name in turn."""
    return {sha256 for record in recorded for sha256 in _own(record, blobs)}


def _own(recorded: Recorded, blobs: BlobStore) -> Iterator[str]:
    event = recorded.event
    yield from blob_hashes(event.payload())
    if isinstance(event, ToolCallFinished):
        try:
            yield from blob_hashes(value_of(event.render_plan, blobs))
        except NotFound:
            return
