"""Every read model as it was: what a position of the log, of one chat or all, looked like."""

from collections.abc import Callable
from typing import Any

from engine.errors import NotFound
from engine.tools.toolbox import ReadModels

__all__ = ["PastReads", "no_chat"]

_SHOWN = ("toolsets", "tools", "chats", "messages", "workspace_manifests", "tool_calls")


class PastReads:
    """Reads past states. `head` tells the last position."""

    def __init__(self, read: ReadModels, head: Callable[[], int]) -> None:
        self._read = read
        self._head = head

    def state(self, at: int, chat_id: str | None = None) -> dict[str, Any]:
        """Return the read models as of position `at`, of one chat or all.

        Raises:
            NotFound: the log has no such position, or there is no such chat.
        """
        if not 0 <= at <= self._head():
            words = f"The log has positions up to {self._head()}; {at} is not one."
            raise NotFound("position_not_found", words)
        if chat_id is not None:
            self.require_chat(chat_id)
        return {"position": at, **{name: self._read(name, at=at, chat_id=chat_id) for name in _SHOWN}}

    def require_chat(self, chat_id: str) -> None:
        """Refuse an id that no chat has, or had."""
        if not any(row["created_at"] for row in self._read("chats", chat_id=chat_id)):
            raise no_chat(chat_id)


def no_chat(chat_id: str) -> NotFound:
    """The error for a chat that there is not."""
    words = f"There is no chat {chat_id}. `anabranch chat list` shows those there are."
    return NotFound("chat_not_found", words)
