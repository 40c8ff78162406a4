"""The contents of a chat's last request. Sent messages do not change, so the next request only adds to them.

Building a request from its first message again would make each step of a long chat cost more than the one before.
"""

from collections.abc import Sequence
from dataclasses import field

from engine.deciders.chat_state import ChatState
from engine.models.messages import HistoryItem, ImagePart, Message
from events.catalog.chat import MessageAdded
from events.catalog.workspace import ManifestRecorded
from events.late_dataclass import dataclass

__all__ = ["PreviousRequest", "pictures_in"]

_ITEM = 400
"""The weight of an item in addition to the characters of its texts."""


@dataclass(frozen=True, slots=True)
class _Settled:
    """One message as models read it. It can no longer change."""

    items: Sequence[HistoryItem]
    calls: int
    """The number of calls that the message made."""
    weight: int


@dataclass(slots=True)
class PreviousRequest:
    """The messages of one path as models read them. Use it only while the chat is locked."""

    path: list[MessageAdded] = field(default_factory=list)
    items: list[HistoryItem] = field(default_factory=list)
    """The items of the first messages of `path`, which can no longer change."""
    pictures: list[ImagePart] = field(default_factory=list)
    """The pictures in `items`."""
    calls: int = 0
    """The number of calls on the branch up to the end of `items`; later results are named by continuing this count."""
    weight: int = 0
    """The approximate number of characters."""
    from_calls: set[str] = field(default_factory=set)
    """The files that were last changed by a call of `path`."""
    _settled: list[_Settled] = field(default_factory=list)
    _recorded: int = 0
    """The number of recorded file states that have been processed."""
    _for: tuple[str | None, bool] = (None, False)

    @property
    def settled(self) -> int:
        """The number of messages in `items`."""
        return len(self._settled)

    def follow(
        self, state: ChatState, path: Sequence[MessageAdded], compaction_id: str | None, *, sees: bool
    ) -> None:
        """Keep only the items that are still valid for `path`, for this compaction and for `sees`, which says whether
        the model accepts pictures."""
        shared = min(len(path), len(self.path))
        while shared and path[shared - 1] is not self.path[shared - 1]:
            shared -= 1
        if self._for != (compaction_id, sees) or not shared:
            shared = 0
            self._cut(0)
            self._for = (compaction_id, sees)
            first = path[0].parent_id if path else None
            self.calls = sum(len(state.calls_of(message_id)) for message_id in state.places(first))
        new = state.recorded[self._recorded :]
        self._cut(min(shared, self._unchanged(state, path, shared, new)))
        self._look_at_files(state, path, shared, new)
        self.path, self._recorded = list(path), len(state.recorded)

    def settle(self, items: Sequence[HistoryItem], calls: int, weight: int) -> None:
        """Add the next message of the path, which can no longer change."""
        one = _Settled(items, calls, weight + _ITEM * (1 + len(items)))
        self._settled.append(one)
        self.items += items
        self.pictures += pictures_in(items)
        self.calls += calls
        self.weight += one.weight

    def _cut(self, most: int) -> None:
        """Remove all messages except the first `most`."""
        gone = self._settled[most:]
        if not gone:
            return
        del self._settled[most:]
        self.calls -= sum(one.calls for one in gone)
        self.weight -= sum(one.weight for one in gone)
        del self.items[len(self.items) - sum(len(one.items) for one in gone) :]
        self.pictures = pictures_in(self.items)

    @staticmethod
    def _unchanged(
        state: ChatState, path: Sequence[MessageAdded], shared: int, new: Sequence[ManifestRecorded]
    ) -> int:
        """Return how many of the first `shared` messages come before the first message that a file state in `new`
        belongs to."""
        if not new or not shared:
            return shared
        places = state.places(path[-1].message_id)
        start = places[path[0].message_id]
        own = (one.message_id for one in new)
        changed = [places[at] - start for at in own if at is not None and at in places]
        return min([shared, *(place for place in changed if place >= 0)])

    def _look_at_files(
        self, state: ChatState, path: Sequence[MessageAdded], shared: int, new: Sequence[ManifestRecorded]
    ) -> None:
        """Update `from_calls`, the files that were last changed by a call, from the file states in recorded order."""
        extends = shared == len(self.path) and shared > 0
        late = (index for message in path[shared:] for index in state.recorded_at(message.message_id))
        if not extends or any(index < self._recorded for index in late):
            self.from_calls, new = set(), state.recorded
        own = {message.message_id for message in path} if new else set()
        for one in new:
            if one.message_id in own:
                changed = {*one.added, *one.changed}
                change = (
                    self.from_calls.update if one.source == "tool_run" else self.from_calls.difference_update
                )
                change(changed)


def pictures_in(items: Sequence[HistoryItem]) -> list[ImagePart]:
    """Return the pictures in the messages, in order."""
    return [
        part
        for item in items
        for part in (item.parts if isinstance(item, Message) else item.pictures)
        if isinstance(part, ImagePart)
    ]
