"""The path from a chat's first message to one of its messages. The last path is cached, so that only the part in which
a new path differs must be computed.
"""

from collections.abc import Mapping

from events.catalog.chat import MessageAdded

__all__ = ["BranchPath"]


class BranchPath:
    """The most recently requested path. In a tree, two paths that share a message share everything before it."""

    __slots__ = ("messages", "places")

    def __init__(self) -> None:
        self.messages: list[MessageAdded] = []
        """The messages on the path, from the first to the last."""
        self.places: dict[str, int] = {}
        """Message → its index in `messages`."""

    def go_to(self, message_id: str | None, known: Mapping[str, MessageAdded]) -> None:
        """Make this the path to `message_id`, or an empty path for None."""
        more: list[MessageAdded] = []
        while message_id is not None and message_id not in self.places:
            more.append(known[message_id])
            message_id = more[-1].parent_id
        shared = 0 if message_id is None else self.places[message_id] + 1
        for message in self.messages[shared:]:
            del self.places[message.message_id]
        del self.messages[shared:]
        for message in reversed(more):
            self.places[message.message_id] = len(self.messages)
            self.messages.append(message)
