"""Handles commands about chats: begin, name, configure, navigate, fork, delete."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from engine.chats.open_chats import Chats, stream_of
from engine.chats.payloads import value_of
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.commands.catalog import (
    ArchiveChat,
    CreateChat,
    DeleteChat,
    Depth,
    ForkChat,
    RenameChat,
    RestoreChat,
    RewindChat,
    SelectDepth,
    SelectLeaf,
    SelectModel,
    SelectTools,
    UnarchiveChat,
)
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.deciders.fork import blob_hashes, copy_path, removed_contents
from engine.deciders.rewind import as_of, brought_back, rewind
from engine.errors import NotFound, Refused
from engine.models.registry import Models
from engine.system.gc_pause import garbage_collection_paused
from engine.turn.running_turns import RunningTurns
from events.catalog.workspace import ContentsRemoved
from events.declarations import NamesContents, declared
from events.event import Event
from events.identity import NewId
from events.log import EventLog

__all__ = ["ChatCommands"]


class ChatCommands:
    """Handles the commands about chats. `default_selection` and `default_model` return a new chat's tools and model."""

    def __init__(
        self,
        *,
        log: EventLog,
        chats: Chats,
        workspaces: Workspaces,
        turns: RunningTurns,
        signals: Signals,
        models: Models,
        new_id: NewId,
        default_selection: Callable[[], Mapping[str, Sequence[str]]],
        default_model: Callable[[], str],
    ) -> None:
        self._log = log
        self._chats = chats
        self._workspaces = workspaces
        self._turns = turns
        self._signals = signals
        self._models = models
        self._new_id = new_id
        self._default_selection = default_selection
        self._default_model = default_model

    def create(self, command: CreateChat) -> str:
        """See `CreateChat`."""
        chat_id = self._new_id()
        if command.model is not None:
            self._models.resolve(command.model, command.base_url)
        events = self.begun(
            command.title,
            selection=command.selection,
            model=command.model,
            base_url=command.base_url,
            depth=command.depth,
        )
        self._chats.transact(chat_id, lambda _: events)
        return chat_id

    def begun(
        self,
        title: str = "",
        *,
        selection: Mapping[str, Sequence[str]] | None = None,
        model: str | None = None,
        base_url: str | None = None,
        depth: Depth = "quick",
    ) -> list[Event]:
        """Return the first events of a chat. For parameters that are None, use the default."""
        ticked = self._default_selection() if selection is None else selection
        return decide.create(title, ticked, model or self._default_model(), base_url, depth)

    def rename(self, command: RenameChat) -> None:
        """See `RenameChat`."""
        self._change(command.chat_id, lambda _: decide.rename(command.title))

    def delete(self, command: DeleteChat) -> None:
        """See `DeleteChat`."""
        self._turns.stop(command.chat_id)
        self._change(command.chat_id, decide.delete, of_deleted=True)

    def restore(self, command: RestoreChat) -> None:
        """See `RestoreChat`."""
        self._change(command.chat_id, decide.restore, of_deleted=True)

    def archive(self, command: ArchiveChat) -> None:
        """See `ArchiveChat`."""
        self._change(command.chat_id, decide.archive)

    def unarchive(self, command: UnarchiveChat) -> None:
        """See `UnarchiveChat`."""
        self._change(command.chat_id, decide.unarchive)

    def select_tools(self, command: SelectTools) -> None:
        """See `SelectTools`."""
        self._change(command.chat_id, lambda state: decide.select_tools(state, command.selection))

    def select_model(self, command: SelectModel) -> None:
        """See `SelectModel`."""
        self._models.resolve(command.model, command.base_url)
        self._change(command.chat_id, lambda s: decide.select_model(s, command.model, command.base_url))

    def select_depth(self, command: SelectDepth) -> None:
        """See `SelectDepth`."""
        self._change(command.chat_id, lambda state: decide.select_depth(state, command.depth))

    def select_leaf(self, command: SelectLeaf) -> None:
        """See `SelectLeaf`."""
        chosen = command.message_id

        def selecting(state: ChatState) -> list[Event]:
            selected = decide.select_leaf(state, chosen)
            return [*selected, *brought_back(state, chosen)] if selected else []

        self._append(command.chat_id, selecting)

    def fork(self, command: ForkChat) -> str:
        """See `ForkChat`."""
        with garbage_collection_paused():
            new_chat_id = self._forked(command)
        self._workspaces.begin(new_chat_id)
        return new_chat_id

    def _forked(self, command: ForkChat) -> str:
        new_chat_id = self._new_id()
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            recorded, then = self._log.read_stream(stream_of(command.chat_id)), state
            if command.position is not None:
                then = as_of(recorded, command.position)
                recorded = [record for record in recorded if record.position <= command.position]
            message_id = command.message_id or then.leaf
            if message_id is not None and message_id not in then.messages:
                decide.select_leaf(then, message_id)
            copied = copy_path(command.chat_id, then, recorded, message_id, self._new_id)
            title = f"{state.title} (fork)" if state.title else ""
            begun = decide.create(title, then.selection, then.model, then.base_url, then.depth)
        causes = [None] * len(begun) + [cause for _, cause in copied]
        # Locked, because `gc` could otherwise remove the blobs as unreferenced.
        with self._chats.locked(new_chat_id):
            lost = self._link_blobs(command.chat_id, new_chat_id, [event for event, _ in copied])
            gone = [ContentsRemoved(contents=lost, reason="fork")] if lost else []
            events = [*begun, *(event for event, _ in copied), *gone]
            causes += [None] * len(gone)
            self._chats.transact(new_chat_id, lambda _: events, causation_id=causes)
        return new_chat_id

    def rewind(self, command: RewindChat) -> int:
        """See `RewindChat`."""
        chat_id = command.chat_id
        with self._chats.locked(chat_id) as state:
            decide.require_quiet(state, chat_id)
            recorded = self._log.read_stream(stream_of(chat_id))
            before = recorded[-1].position
            then = as_of(recorded, command.position)
            if command.what != "chat":
                self._require_kept(chat_id, then)
            events = rewind(state, then, command.position, command.what, self._new_id)
            self._chats.transact(chat_id, lambda _: events)
        return before

    def _require_kept(self, chat_id: str, then: ChatState) -> None:
        """Refuse to go back to a state whose files were removed by retention."""
        blobs = self._workspaces.blobs(chat_id)
        gone = [path for path, file in then.files(then.manifest).items() if not blobs.has(file.sha256)]
        if gone:
            named = ", ".join(gone[:3]) + (f" and {len(gone) - 3} more" if len(gone) > 3 else "")
            raise Refused(
                "files_not_kept",
                f"The content of {named} was removed by `anabranch gc`, so the files cannot go back to that moment. "
                "Rewind only the chat, or choose a later moment.",
            )

    def _link_blobs(self, origin: str, target: str, events: Sequence[Event]) -> tuple[str, ...]:
        """Make the contents that a fork's events name available in the fork. Return the hashes of the contents that
        were removed from the original chat.
        """
        blobs = self._workspaces.blobs(origin)
        hashes: set[str] = set()
        for event in events:
            hashes.update(blob_hashes(event.payload()))
            for field in declared(type(event), NamesContents):
                with suppress(NotFound):  # removed by retention, so there is nothing to link
                    hashes.update(blob_hashes(value_of(getattr(event, field), blobs)))
        missing = self._workspaces.blobs(target).link_from(blobs, sorted(hashes))
        removed = self._removed(origin) if missing else ()
        return tuple(sha256 for sha256 in missing if sha256 in removed)

    def _removed(self, chat_id: str) -> set[str]:
        """Return the contents that were removed from a chat on purpose."""
        return removed_contents(self._log.read_stream(stream_of(chat_id)))

    def _change(
        self, chat_id: str, decision: Callable[[ChatState], Sequence[Event]], *, of_deleted: bool = False
    ) -> None:
        if self._append(chat_id, decision, of_deleted=of_deleted):
            self._signals.changed(chat_id)

    def _append(
        self, chat_id: str, decision: Callable[[ChatState], Sequence[Event]], *, of_deleted: bool = False
    ) -> bool:
        def decided(state: ChatState) -> Sequence[Event]:
            if not (of_deleted and state.exists):
                decide.require(state, chat_id)
            return decision(state)

        return bool(self._chats.transact(chat_id, decided))
