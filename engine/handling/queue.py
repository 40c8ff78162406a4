"""One question in each chat that waits for the end of the turn there. The engine asks it, whatever page is open.

It waits in the log, with its files in the blobs: whoever ends this process, the next one still has it.
"""

from collections.abc import Callable, Sequence

from engine.chats import Chats
from engine.commands import Ask, AskQueued, QueueQuestion, UnqueueQuestion, Upload
from engine.deciders import chat as decide
from engine.deciders import queue as decide_queue
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError, Refused
from engine.folders import Folders
from engine.handling.files import FileCommands
from engine.signals import Signals
from engine.views.chat import Queued
from engine.workspace.uploads import harmless_name
from events.catalog.chat import QuestionQueued, QuestionUnqueued, QueuedFile
from events.event import Event
from events.identity import NewId

__all__ = ["QuestionQueue"]


class _NotNow(Exception):
    """What waited is asked, or taken back, or waits on: none of it is a refusal."""


class QuestionQueue:
    """Handles the commands about it, and has it asked. Safe for several threads."""

    def __init__(
        self,
        *,
        chats: Chats,
        folders: Folders,
        files: FileCommands,
        signals: Signals,
        ask: Callable[[Ask, Callable[[ChatState], Sequence[Event]]], object],
        new_id: NewId,
    ) -> None:
        """`ask` asks a question, after what it is to append before it in the same batch."""
        self._chats = chats
        self._folders = folders
        self._files = files
        self._signals = signals
        self._ask = ask
        self._new_id = new_id

    def put(self, command: QueueQuestion) -> None:
        """See `QueueQuestion`."""
        chat_id = command.chat_id
        with self._chats.locked(chat_id) as state:
            # Locked, or `gc` could take its files for ones that no event names.
            decide.require(state, chat_id)
            decide_queue.queue(state, command.text, (), self._new_id)  # before its files are taken
            kept = self._files.keep(chat_id, command.files, state.files(state.manifest))
            files = [QueuedFile(name=harmless_name(name), sha256=e.sha256, size=e.size) for name, e in kept]
            self._chats.transact(
                chat_id, lambda state: decide_queue.queue(state, command.text, files, self._new_id)
            )
        self._signals.changed(chat_id)
        self.turn_ended(chat_id)

    def ask_now(self, command: AskQueued) -> None:
        """See `AskQueued`."""
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
        self.turn_ended(command.chat_id)

    def take_back(self, command: UnqueueQuestion) -> bool:
        """See `UnqueueQuestion`."""
        chat_id, queued_id = command.chat_id, command.queued_id
        was_there = bool(
            self._chats.transact(chat_id, lambda state: decide_queue.take_back(state, queued_id))
        )
        if was_there:
            self._signals.changed(chat_id)
        return was_there

    def of(self, chat_id: str) -> Queued | None:
        """What waits in a chat, or was refused there."""
        with self._chats.locked(chat_id) as state:
            queued, due = state.queued, decide_queue.is_time(state)
        if queued is None:
            return None
        queued_id, question = queued.question.queued_id, self._question(chat_id, queued.question)
        if queued.refusal is not None:
            return Queued(queued_id, question, Refused(queued.refusal.code, queued.refusal.message))
        return Queued(queued_id, question, due=due)

    def _question(self, chat_id: str, queued: QuestionQueued) -> Ask:
        blobs = self._folders.blobs(chat_id)
        return Ask(
            chat_id, queued.text, tuple(Upload(file.name, blobs.path(file.sha256)) for file in queued.files)
        )

    def turn_ended(self, chat_id: str) -> None:
        """Ask what waits, unless another turn runs there or one waits for its user."""
        with self._chats.locked(chat_id) as state:
            queued = decide_queue.waiting(state)
        if queued is None:
            return

        def asked(state: ChatState) -> list[QuestionUnqueued]:
            if decide_queue.waiting(state) != queued or not decide_queue.is_time(state):
                raise _NotNow
            return [QuestionUnqueued(queued_id=queued.queued_id, reason="asked")]

        try:
            self._ask(self._question(chat_id, queued), asked)
        except _NotNow:
            return
        except AnabranchError as error:
            refused = error
            self._chats.transact(chat_id, lambda state: decide_queue.refuse(state, queued, refused))
            self._signals.changed(chat_id)
