"""Builds the messages of a request from a chat's state: the messages of one path, with each call followed by its
result.

The messages are well-formed for every provider: each call has an answer, even if it was interrupted, and an empty
assistant message (stopped before its first word) is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.chats.payloads import value_of
from engine.deciders.chat_state import ChatState
from engine.deciders.turn_state import CallState
from engine.errors import NotFound
from engine.models.messages import HistoryItem, ImagePart, Message, TextPart, ToolMessage, ToolRequest
from engine.tools.builtin import READ_RESULT
from engine.tools.result_names import call_name
from engine.turn.data_part import read_data_part
from engine.turn.pictures import attached_pictures, pictures_of
from engine.turn.previous_request import PreviousRequest
from engine.workspace.blobs import BlobStore
from events.canonical import canonical_json, ordered
from events.catalog.chat import MessageAdded
from events.catalog.parts import CallPart
from events.catalog.turn import ContextCompacted
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "RESULT_CHARACTERS",
    "Sent",
    "compaction_of",
    "history",
    "images_of",
    "known_items",
    "result_of",
]

RESULT_CHARACTERS = 24_000
"""At most this many characters of a result's JSON are sent to a model; `read_result` returns the rest."""
_STEP_CHARACTERS = 60_000
"""At most this many characters of all results of one step are sent to a model."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The messages of one request: a path from the root, or from the end of a compacted part."""

    path: Sequence[MessageAdded]
    turn_id: str
    """The current turn. An event of this turn records the data part that is added to the newest message."""
    compaction: ContextCompacted | None = None

    @classmethod
    def of(cls, state: ChatState, message_id: str, turn_id: str, compaction_id: str | None) -> "Sent":
        """Return the messages of the path to `message_id`, without the compacted ones."""
        path = state.path(message_id)
        if compaction_id is None:
            return cls(path, turn_id)
        compaction = state.compactions[compaction_id]
        return cls(path[state.places(message_id)[compaction.through_id] + 1 :], turn_id, compaction)

    def turns(self, first: int = 0) -> Iterator[tuple[MessageAdded, str]]:
        """Yield each message from index `first`, with the id of the turn that sent a request ending with it."""
        return (self.read_by(place) for place in range(first, len(self.path)))

    def read_by(self, place: int) -> tuple[MessageAdded, str]:
        """Return the message at an index, with the id of the turn that sent a request ending with this message."""
        is_newest = place == len(self.path) - 1
        return self.path[place], self.turn_id if is_newest else self.path[place + 1].turn_id or ""


def compaction_of(state: ChatState, message_id: str) -> ContextCompacted | None:
    """Return the compaction that covers the largest part of the path to `message_id`; of several, the newest."""
    if not state.compactions:
        return None
    place = state.places(message_id)
    covering = [
        made
        for made in state.compactions.values()
        if made.through_id in place and made.through_id != message_id
    ]
    return max(reversed(covering), key=lambda made: place[made.through_id], default=None)


def known_items(state: ChatState, sent: Sent, blobs: BlobStore) -> Mapping[str, str]:
    """Return what the model knows about the workspace from the messages before the newest one.

    A data part from before the compaction is not enough: it may rely on messages that the compaction now covers.
    """
    compaction_id = sent.compaction.compaction_id if sent.compaction else None
    for place in range(len(sent.path) - 2, -1, -1):
        message, turn_id = sent.read_by(place)
        turn = state.turns.get(turn_id)
        ref, stood_on = turn.data.get(message.message_id, (None, None)) if turn else (None, None)
        if ref is not None and stood_on == compaction_id:
            return read_data_part(blobs.read(ref.sha256).decode()).items
    return {}


def history(
    state: ChatState,
    sent: Sent,
    blobs: BlobStore,
    *,
    sees: bool = False,
    newest: str | None = None,
    most: int = RESULT_CHARACTERS,
    before: PreviousRequest | None = None,
) -> tuple[HistoryItem, ...]:
    """Return the items of a request, in order, with pictures for a model that `sees`.

    `newest` is the data part of the newest message, if no event has recorded it yet; `most` is the maximum number of
    characters of each result. `before` contains the parts of the chat's last request with the same `most`, and is
    updated.
    """
    before = PreviousRequest() if before is None else before
    compaction = sent.compaction
    before.follow(state, sent.path, compaction.compaction_id if compaction else None, sees=sees)
    items: list[HistoryItem] = []
    calls, settled = before.calls, True
    for added, turn_id in sent.turns(before.settled):
        is_newest = added is sent.path[-1]
        text = newest if newest is not None and is_newest else _data_text(state, added, turn_id, blobs)
        own = state.calls_of(added.message_id)
        names = {call.requested.call_id: call_name(calls + n) for n, call in enumerate(own, 1)}
        calls += len(own)
        results, size = _results(state, added, blobs, names, sees=sees, most=most)
        made = list(_items(state, added, blobs, results, sees=sees, data_part=text))
        settled = settled and not is_newest and all(call.finished for call in own)
        if settled:
            before.settle(made, len(own), size + len(text))
        else:
            items += made
    if compaction is None:
        return (*before.items, *items)
    summary = TextPart(text=blobs.read(compaction.summary.sha256).decode())
    return (Message(compaction.compaction_id, "user", (summary,)), *before.items, *items)


def _own(state: ChatState, added: MessageAdded) -> list[CallState]:
    """Return the calls of a message, in the order of its parts."""
    calls = {call.requested.call_id: call for call in state.calls_of(added.message_id)}
    parts = (part for part in added.parts if isinstance(part, CallPart))
    return [calls[part.call_id] for part in parts if part.call_id in calls]


def _items(
    state: ChatState,
    added: MessageAdded,
    blobs: BlobStore,
    results: Sequence[ToolMessage],
    *,
    sees: bool,
    data_part: str,
) -> Iterator[HistoryItem]:
    if not added.parts and not data_part:
        return
    requests = tuple(_request(call, added, blobs) for call in _own(state, added))
    seen = tuple(attached_pictures(state, added, blobs)) if sees and added.role == "user" else ()
    yield Message(added.message_id, added.role, (*added.parts, *seen), requests, data_part)
    yield from results


def _results(
    state: ChatState,
    added: MessageAdded,
    blobs: BlobStore,
    names: Mapping[str, str],
    *,
    sees: bool,
    most: int,
) -> tuple[list[ToolMessage], int]:
    """Return the results of a message's calls, cut to the length that a request allows for one step, and their
    approximate length.
    """
    own = _own(state, added)
    results = [_result(call, added, blobs, sees=sees) for call in own]
    texts = [canonical_json(result.content) for result in results]
    size = sum(min(most, len(text)) for text in texts)
    room = most if size <= _STEP_CHARACTERS else min(most, _STEP_CHARACTERS // len(own))
    cut = [
        replace(result, content=_capped(text, room, _hint(call, names, room))) if len(text) > room else result
        for call, result, text in zip(own, results, texts, strict=True)
    ]
    return cut, size


def _hint(call: CallState, names: Mapping[str, str], most: int) -> str:
    """Return a sentence that tells the model where to find the rest of a result."""
    if call.finished is None or call.finished.status != "success":
        return ""
    if call.requested.tool_id == READ_RESULT:
        return " Read one result at a time to get more of it."
    return f" read_result reads on: name {names[call.requested.call_id]}, offset {most}."


def _data_text(state: ChatState, message: MessageAdded, turn_id: str, blobs: BlobStore) -> str:
    turn = state.turns.get(turn_id)
    ref, _ = turn.data.get(message.message_id, (None, None)) if turn else (None, None)
    return read_data_part(blobs.read(ref.sha256).decode()).text if ref else ""


def images_of(pictures: Iterable[ImagePart], blobs: BlobStore) -> dict[str, bytes]:
    """Return the bytes of pictures, by hash, except pictures that retention removed."""
    images: dict[str, bytes] = {}
    for sha256 in dict.fromkeys(part.sha256 for part in pictures):
        with suppress(NotFound):
            images[sha256] = blobs.read(sha256)
    return images


def _request(call: CallState, added: MessageAdded, blobs: BlobStore) -> ToolRequest:
    kept = call.approved.arguments if call.approved else call.requested.arguments
    requested = call.requested
    return ToolRequest(
        requested.call_id, _name(call, added), ordered(value_of(kept, blobs)), requested.provider_call_id
    )


def _result(call: CallState, added: MessageAdded, blobs: BlobStore, *, sees: bool) -> ToolMessage:
    requested, finished = call.requested, call.finished
    pictures = pictures_of(finished) if sees and finished is not None else ()
    status, content = result_of(call, blobs)
    name, wire_id = _name(call, added), requested.provider_call_id
    return ToolMessage(requested.call_id, name, status, content, wire_id, pictures)


def result_of(call: CallState, blobs: BlobStore) -> tuple[str, JSON]:
    """Return the status of a call and its whole result, or its error, as a model reads it."""
    finished = call.finished
    if finished is None:
        return "interrupted", {"error": "The call was interrupted and has no result."}
    if finished.error is not None:
        return finished.status, {"error": finished.error.message}
    return finished.status, ordered(value_of(finished.result, blobs))


def _name(call: CallState, added: MessageAdded) -> str:
    parts = (part for part in added.parts if isinstance(part, CallPart))
    return next((part.name for part in parts if part.call_id == call.requested.call_id), "")


def _capped(text: str, most: int, hint: str) -> JSON:
    cut = f"This result has {len(text):,} characters; these are the first {most:,}.{hint}"
    return {"truncated": cut, "head": text[:most]}
