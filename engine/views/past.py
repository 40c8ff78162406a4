"""Reads every read model at an earlier position of the log, for one chat or for all."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from engine.chats.open_chats import stream_of
from engine.deciders.turn_state import QueuedState, moved_on
from engine.errors import NotFound
from engine.tools.toolbox import ReadModels
from events.event_summaries import (
    EventSummary,
    VerifiedEvent,
    event_summaries,
    read_verified_event,
    streams_that_say,
)
from events.log import EventLog
from events.read_store import ReadStore

__all__ = ["PastReads", "no_chat"]

_SHOWN = ("toolsets", "tools", "chats", "messages", "workspace_manifests", "tool_calls")

_OUTLINES_KEPT = 4
"""The number of chats whose events are cached. The history page reads a chat's events at each step."""

_AROUND = 36
"""The number of characters that are shown before and after a search hit."""


class PastReads:
    """Reads past states, and the events that caused them."""

    def __init__(
        self,
        read: ReadModels,
        log: EventLog,
        reads: ReadStore,
    ) -> None:
        self._read = read
        self._head, self._version = log.head, log.stream_version
        self._reader = reads.reader
        self._outlined = lru_cache(_OUTLINES_KEPT)(self._outline)

    def state(self, at: int, chat_id: str | None = None) -> dict[str, Any]:
        """Return the read models as of position `at`, for one chat or for all.

        Raises:
            NotFound: the log has no such position, or there is no such chat.
        """
        if not 0 <= at <= self._head():
            raise self._no_position(at)
        if chat_id is not None:
            self.require_chat(chat_id)
        return {"position": at, **{name: self._read(name, at=at, chat_id=chat_id) for name in _SHOWN}}

    def moments(self, chat_id: str) -> Sequence[EventSummary]:
        """Return the events of a chat in order, without their payloads.

        Raises:
            NotFound: there is no such chat.
        """
        return self._outlined(chat_id, self._version(stream_of(chat_id)))

    def _outline(self, chat_id: str, version: int) -> Sequence[EventSummary]:  # noqa: ARG002 - part of the cache key
        with self._reader() as cursor:
            found = event_summaries(cursor, stream_of(chat_id))
        if not found:
            raise no_chat(chat_id)
        return tuple(found)

    def chats_that_say(self, words: str) -> dict[str, str]:
        """Return the chats in which a question or an answer, on any branch, contains `words`: id → the text around the
        hit."""
        with self._reader() as cursor:
            found = streams_that_say(cursor, words)
        return {stream.removeprefix("chat-"): _around(text, words) for stream, text in found.items()}

    def event(self, position: int) -> VerifiedEvent:
        """Return the event at a position, and whether the hash chain is intact there.

        Raises:
            NotFound: the log has no such position.
        """
        with self._reader() as cursor:
            event = read_verified_event(cursor, position=position)
        if event is None:
            raise self._no_position(position)
        return event

    def cause(self, event_id: str) -> VerifiedEvent | None:
        """Return the event with this id, which another event names as its cause; None if it is not in this log."""
        with self._reader() as cursor:
            return read_verified_event(cursor, event_id=event_id)

    def waiting(self, chat_id: str, at: int) -> tuple[str, ...]:
        """Return the texts of the questions that were queued in a chat at position `at`, in order."""
        queue: tuple[QueuedState, ...] = ()
        for tick in self.moments(chat_id):
            if tick.type.startswith("Question") and tick.position <= at:
                queue = moved_on(queue, self.event(tick.position).recorded.event)
        return tuple(one.question.text for one in queue)

    def _no_position(self, at: int) -> NotFound:
        words = f"There is no position {at} in the log; the last one is {self._head()}."
        return NotFound("position_not_found", words)

    def require_chat(self, chat_id: str) -> None:
        """Raise NotFound if a chat with this id never existed."""
        if not any(row["created_at"] for row in self._read("chats", chat_id=chat_id)):
            raise no_chat(chat_id)


def no_chat(chat_id: str) -> NotFound:
    """Return the error for a chat that does not exist."""
    words = f"There is no chat {chat_id}. `anabranch chat list` shows all chats."
    return NotFound("chat_not_found", words)


def _around(text: str, words: str) -> str:
    """Return the part of a text around the first place that contains `words`, on one line."""
    line = " ".join(text.split())
    at = max(0, line.casefold().find(words.casefold()))
    start, end = max(0, at - _AROUND), at + len(words) + _AROUND
    return f"{'…' if start else ''}{line[start:end].strip()}{'…' if end < len(line) else ''}"
