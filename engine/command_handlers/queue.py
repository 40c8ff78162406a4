"""The queued questions of each chat. The engine asks them when the current turn ends, even if no page is open.

The questions are in the log, and their files are in the blobs, so they survive a restart.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.files import FileCommands
from engine.commands.catalog import (
    Ask,
    AskQueued,
    MoveQueued,
    RewordQueued,
    TurnStart,
    UnqueueQuestion,
    Upload,
    Waiting,
)
from engine.deciders import chat as decide
from engine.deciders import queue as decide_queue
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError, NotFound, Refused, Unavailable
from engine.views.queued import Queued
from engine.workspace.uploads import harmless_name
from events.catalog.question import QuestionQueued, QuestionRefused, QuestionUnqueued, QueuedFile
from events.catalog.turn import TurnStarted
from events.event import Event, Recorded
from events.identity import NewId

__all__ = ["QuestionQueue"]


_WITHDRAWN = Refused("question_withdrawn", "The question was withdrawn before it was asked.")
_CLOSING = Unavailable("closing", "Anabranch is closing. Start it again and retry.")


class _NotNow(Exception):
    """Raised if a queued question was already asked or removed, or must continue to wait. This is not a refusal."""


class QuestionQueue:
    """Handles the commands about the queue, and asks its questions. Thread-safe."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        files: FileCommands,
        signals: Signals,
        ask: Callable[[Ask, Callable[[ChatState], Sequence[Event]]], TurnStart],
        new_id: NewId,
    ) -> None:
        """`ask` asks a question. Its second argument returns events to append before the question in the same batch."""
        self._chats = chats
        self._workspaces = workspaces
        self._files = files
        self._signals = signals
        self._ask = ask
        self._new_id = new_id
        self._lock = Lock()
        self._promises: dict[str, tuple[Ask | None, Future[TurnStart]]] = {}
        """Id of a queued question → its command (None if another process queued it), and a future that gets the
        `TurnStart`."""
        self._closed = False

    def put(self, command: Ask) -> Waiting:
        """Store a question until it can be asked."""
        chat_id = command.chat_id
        with self._chats.locked(chat_id) as state:
            # Locked, because `gc` could otherwise remove the question's files as unreferenced.
            decide.require(state, chat_id)
            decide_queue.queue(state, command.text, (), self._new_id)  # checked before its files are stored
            kept = self._files.keep(chat_id, command.files, state.files(state.manifest))
            files = [QueuedFile(name=harmless_name(name), sha256=e.sha256, size=e.size) for name, e in kept]
            queued = decide_queue.queue(state, command.text, files, self._new_id)
            self._chats.transact(chat_id, lambda _: queued)
            queued_id = queued[0].queued_id
            with self._lock:
                self._promises[queued_id] = command, Future()
        self._signals.changed(chat_id)
        self.turn_ended(chat_id)
        return Waiting(chat_id, queued_id)

    def turn_of(self, waiting: Waiting) -> "Future[TurnStart]":
        """Return a future for the `TurnStart` of a queued question. The future gets this result when the question is
        asked, or an error if the question is refused or removed.

        Raises:
            AnabranchError: the question was already refused or removed, no such question was queued, or Anabranch is
                closing.
        """
        chat_id, queued_id = waiting.chat_id, waiting.queued_id
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            waits = any(one.queued_id == queued_id and one.refusal is None for one in state.queue)
            with self._lock:
                if waits:
                    if self._closed:
                        raise _CLOSING
                    return self._promises.setdefault(queued_id, (None, Future()))[1]
        asked: Future[TurnStart] = Future()
        asked.set_result(_turn_asked(self._chats.recorded(chat_id), waiting))
        return asked

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
            self._settle(queued_id, error=_WITHDRAWN)
            self._signals.changed(chat_id)
            self.turn_ended(chat_id)  # ask the questions behind a refused one
        return was_there

    def move(self, command: MoveQueued) -> None:
        """See `MoveQueued`."""
        self._change(
            command.chat_id,
            lambda state: decide_queue.move(state, command.queued_id, command.before_id),
        )

    def reword(self, command: RewordQueued) -> None:
        """See `RewordQueued`."""
        self._change(
            command.chat_id, lambda state: decide_queue.reword(state, command.queued_id, command.text)
        )

    def _change(self, chat_id: str, decided: Callable[[ChatState], Sequence[Event]]) -> None:
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            self._chats.transact(chat_id, decided)
        self._signals.changed(chat_id)

    def of(self, chat_id: str) -> tuple[Queued, ...]:
        """Return the queued questions of a chat in order. The first one may have been refused and then stays queued."""
        with self._chats.locked(chat_id) as state:
            queue, due = state.queue, decide_queue.is_time(state)
        return tuple(
            Queued(
                one.queued_id,
                self._question(chat_id, one.question),
                Refused(one.refusal.code, one.refusal.message) if one.refusal is not None else None,
                due and at == 0 and one.refusal is None,
            )
            for at, one in enumerate(queue)
        )

    def _question(self, chat_id: str, queued: QuestionQueued) -> Ask:
        blobs = self._workspaces.blobs(chat_id)
        return Ask(
            chat_id, queued.text, tuple(Upload(file.name, blobs.path(file.sha256)) for file in queued.files)
        )

    def turn_ended(self, chat_id: str) -> None:
        """Ask the next queued question, unless another turn of the chat is running or waiting for the user."""
        with self._chats.locked(chat_id) as state:
            queued = decide_queue.waiting(state)
        if queued is None:
            return

        def asked(state: ChatState) -> list[QuestionUnqueued]:
            if decide_queue.waiting(state) != queued or not decide_queue.is_time(state):
                raise _NotNow
            return [QuestionUnqueued(queued_id=queued.queued_id, reason="asked")]

        try:
            started = self._ask(self._allowed(self._question(chat_id, queued), queued.queued_id), asked)
        except _NotNow:
            return
        except AnabranchError as error:
            refused = error
            self._chats.transact(chat_id, lambda state: decide_queue.refuse(state, queued, refused))
            self._settle(queued.queued_id, error=refused)
            self._signals.changed(chat_id)
        else:
            self._settle(queued.queued_id, started)

    def close(self) -> None:
        """Release all waiting callers because Anabranch is closing. The questions are kept."""
        with self._lock:
            self._closed = True
        for queued_id in [*self._promises]:
            self._settle(queued_id, error=_CLOSING)

    def _allowed(self, question: Ask, queued_id: str) -> Ask:
        """Return the question with the permissions that the user gave it. Only the process that queued the question has
        these permissions.
        """
        with self._lock:
            promise = self._promises.get(queued_id)
        given = promise[0] if promise is not None else None
        if given is None:
            return question
        return replace(question, allow_confirmations=given.allow_confirmations, allow_sends=given.allow_sends)

    def _settle(
        self, queued_id: str, started: TurnStart | None = None, error: AnabranchError | None = None
    ) -> None:
        """Report the outcome of a queued question to the caller that waits for it."""
        with self._lock:
            promise = self._promises.pop(queued_id, None)
        if promise is None:
            return
        if started is not None:
            promise[1].set_result(started)
        else:
            promise[1].set_exception(error)


def _turn_asked(stream: Sequence[Recorded], waiting: Waiting) -> TurnStart:
    """Return the turn of a question that is no longer queued, from the events of its chat.

    Raises:
        Refused: the question was refused when it should have been asked, or the user removed it.
        NotFound: no such question was queued.
    """
    for recorded in reversed(stream):
        match recorded.event:
            case QuestionUnqueued(queued_id=waiting.queued_id, reason="asked"):
                turns = (r for r in stream if r.correlation_id == recorded.correlation_id)
                started = next(r.event for r in turns if isinstance(r.event, TurnStarted))
                return TurnStart(waiting.chat_id, started.turn_id, started.message_id)
            case QuestionUnqueued(queued_id=waiting.queued_id):
                raise _WITHDRAWN
            case QuestionRefused(queued_id=waiting.queued_id) as refused:
                raise Refused(refused.code, refused.message)
    raise NotFound("queued_not_found", f"No question {waiting.queued_id} was queued in this chat.")
