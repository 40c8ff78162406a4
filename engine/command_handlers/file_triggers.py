"""Checks standing questions when a file that they depend on changes.

The log reports each recorded change of a chat's files. Changes are processed in a separate thread, so that the caller
does not wait. Changes recorded while nothing was listening, and interrupted checks, are found at the next start. If a
check is interrupted twice, it runs again only when the user starts it.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread

from engine.chats.open_chats import Chats
from engine.command_handlers.standing_checks import StandingChecks
from engine.deciders.standing import pinned_answers
from engine.errors import AnabranchError
from events.catalog.workspace import ManifestRecorded
from events.event import Recorded

__all__ = ["FileTriggers"]

_log = logging.getLogger("anabranch.standing")
_CHAT = "chat-"


class FileTriggers:
    """Listens for file changes after `begin`. Thread-safe."""

    def __init__(self, chats: Chats, checks: StandingChecks, pinned: Callable[[], Collection[str]]) -> None:
        """`pinned` returns the chats that have pinned answers."""
        self._chats = chats
        self._checks = checks
        self._pinned = pinned
        self._lock = Lock()
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Start listening, and process earlier changes."""
        with self._lock:
            if self._thread is not None:
                return
            self._thread = Thread(target=self._work, name="standing-questions", daemon=True)
            self._thread.start()
        for chat_id in sorted(self._pinned()):
            self._waiting.put(chat_id)

    def noticed(self, recorded: Sequence[Recorded]) -> None:
        """Queue the chats whose files were changed by these events; the thread then processes them."""
        if self._thread is None:
            return
        changed = {
            one.stream.removeprefix(_CHAT)
            for one in recorded
            if isinstance(one.event, ManifestRecorded) and one.event.active and one.stream.startswith(_CHAT)
        }
        for chat_id in sorted(changed):
            self._waiting.put(chat_id)

    def close(self) -> None:
        """Stop listening. A running check stops together with the user's own calls."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._waiting.put(None)

    def _work(self) -> None:
        while (chat_id := self._waiting.get()) is not None and self._thread is not None:
            try:
                if chat_id in self._pinned():
                    self._look(chat_id)
            except Exception:  # a failure in one chat is logged, and the other chats are still processed
                _log.warning("The pinned answers of chat %s could not be checked.", chat_id, exc_info=True)

    def _look(self, chat_id: str) -> None:
        for pin_id in self._changed(chat_id):
            try:
                # A pinned answer that was due may have been checked in the meantime, at the user's request.
                still_due = partial(self._is_due, chat_id, pin_id)
                self._checks.check(chat_id, pin_id, "a file changed", still_due)
            except AnabranchError as error:
                _log.info("Pinned answer %s was not checked: %s", pin_id, error)

    def _is_due(self, chat_id: str, pin_id: str) -> bool:
        return pin_id in self._changed(chat_id)

    def _changed(self, chat_id: str) -> list[str]:
        """Return the pins whose automatic check is due, because their files have changed since the last check."""
        with self._chats.locked(chat_id) as state:
            if not state.exists:
                return []
            present = {path: entry.sha256 for path, entry in state.files(state.manifest).items()}
            pins = pinned_answers(recorded.event for recorded in self._chats.recorded(chat_id))
        return [pin_id for pin_id, pin in pins.items() if pin.is_due(present)]
