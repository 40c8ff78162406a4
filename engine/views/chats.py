"""Reads chats for the page, the CLI and the API, and caches recent views.

A chat's view depends only on the chat's stream. Events in other chats do not change it; new events in the chat extend
it.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import field
from threading import Lock
from typing import Any, Protocol

from engine.system.gc_pause import garbage_collection_paused
from engine.system.weighted_cache import WeightedCache
from engine.tools.toolbox import ReadModels
from engine.views.chat import ChatView
from engine.views.chat_parts import ViewParts, chat_view
from engine.views.past import no_chat
from engine.workspace.blobs import BlobStore
from events.catalog.definition import DefinitionSet
from events.late_dataclass import dataclass

__all__ = ["ChatReads"]

_KEPT = 10_000
"""The maximum number of messages, calls, turns and file states in the cached current views of chats."""
_NEWEST = 4
"""The number of current views that stay cached even if they are long."""
_KEPT_PAST = 20_000
"""The same limit as `_KEPT`, for views of past positions. The history page steps through them."""


class ReadsOfChat(Protocol):
    """Opens the read models of one chat: all rows as of a position, or only the rows that have changed since a
    version.
    """

    def __call__(
        self, chat_id: str, *, at: int | None = None, since: int | None = None
    ) -> AbstractContextManager[ReadModels]: ...


@dataclass(slots=True)
class _Present:
    """The view of a chat as it is now, and the parts from which the next view is built."""

    version: int = 0
    """The version of the chat's stream: the view includes at least this many events."""
    definitions: int = 0
    """The number of versions of definitions for all chats."""
    view: ChatView | None = None
    parts: ViewParts = field(default_factory=ViewParts)
    lock: Any = field(default_factory=Lock)


class ChatReads:
    """Reads chats. Thread-safe."""

    def __init__(
        self,
        reads: ReadsOfChat,
        head: Callable[[], int],
        version: Callable[[str], int],
        blobs_of: Callable[[str], BlobStore],
        definitions: Callable[[], Mapping[tuple[str, int], DefinitionSet]],
    ) -> None:
        """`head` returns the log's last position, `version` the number of events of a chat.

        `definitions` returns every version of the definitions for all chats.
        """
        self._reads = reads
        self._head = head
        self._version = version
        self._blobs_of = blobs_of
        self._definitions = definitions
        self._present: WeightedCache[str, _Present] = WeightedCache(
            _KEPT, lambda one: one.parts.weight, newest=_NEWEST
        )
        self._past: WeightedCache[tuple[str, int], ChatView] = WeightedCache(_KEPT_PAST, _weight)

    def chat(self, chat_id: str, at: int | None = None) -> ChatView:
        """Return a chat as it is now, or as it was at position `at`.

        Raises:
            NotFound: there is, or was, no such chat.
        """
        if at is None or at > self._head():
            return self._now(chat_id)
        view = self._past.get((chat_id, at))
        if view is None:
            with garbage_collection_paused(), self._reads(chat_id, at=at) as read:
                view = chat_view(read, chat_id, self._blobs_of, at=at, defined=self._definitions())
            if view is None:
                raise no_chat(chat_id)
            self._past.put((chat_id, at), view)
        return view

    def forget(self) -> None:
        """Drop all cached views, because content that they show may no longer exist."""
        self._present.clear()
        self._past.clear()

    def _now(self, chat_id: str) -> ChatView:
        kept = self._present.get(chat_id) or _Present()
        with kept.lock:
            defined, version = self._definitions(), self._version(chat_id)
            if kept.view is not None and (kept.version, kept.definitions) == (version, len(defined)):
                return kept.view
            try:
                view = self._grown(chat_id, kept, defined)
            except BaseException:
                kept.view, kept.parts = None, ViewParts()
                raise
            kept.view, kept.version, kept.definitions = view, version, len(defined)
        self._present.put(chat_id, kept)
        return view

    def _grown(
        self, chat_id: str, kept: _Present, defined: Mapping[tuple[str, int], DefinitionSet]
    ) -> ChatView:
        """Return the view extended by later events. It is read completely if there is no view yet, or if definitions
        were added or removed.
        """
        begins = kept.view is None or kept.definitions != len(defined)
        if begins:
            kept.parts = ViewParts()
        since = None if begins else kept.version
        with garbage_collection_paused(), self._reads(chat_id, since=since) as read:
            view = kept.parts.grow(read, chat_id, self._blobs_of, defined=defined)
        if view is None:
            raise no_chat(chat_id)
        return view


def _weight(view: ChatView) -> int:
    return len(view.messages) + len(view.turns) + len(view.calls) + len(view.manifests)
