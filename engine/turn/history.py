"""Builds the messages of a request from a chat's state: those of one path, each call followed by its result.

What comes out is well-formed for every provider: each call is answered, even one that was interrupted, and an empty
assistant message (stopped before its first word) is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from engine.deciders.chat_state import CallState, ChatState
from engine.errors import NotFound
from engine.keeping import value_of
from engine.messages import HistoryItem, ImagePart, Message, TextPart, ToolMessage, ToolRequest
from engine.tools.builtin import READ_RESULT
from engine.tools.result_names import call_name
from engine.turn.data_part import DataPart, read_data_part
from engine.turn.pictures import attached_pictures, pictures_of
from engine.workspace.blobs import BlobStore
from events.canonical import JSON, canonical_json, ordered
from events.catalog.chat import MessageAdded
from events.catalog.parts import CallPart
from events.catalog.turn import ContextCompacted

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
"""How much of a result's JSON a model is sent; `read_result` gives the rest."""
_STEP_CHARACTERS = 60_000
"""How much of the results of one step a model is sent."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The messages of one request: a path, from its root or from the end of what a compaction covers."""

    path: Sequence[MessageAdded]
    turn_id: str
    """The turn that asks; it added to the newest message what its event says."""
    compaction: ContextCompacted | None = None

    @classmethod
    def of(cls, state: ChatState, message_id: str, turn_id: str, compaction_id: str | None) -> "Sent":
        """Return the messages of the path to `message_id`, less what that compaction covers."""
        path = state.path(message_id)
        if compaction_id is None:
            return cls(path, turn_id)
        compaction = state.compactions[compaction_id]
        at = next(n for n, message in enumerate(path) if message.message_id == compaction.through_id)
        return cls(path[at + 1 :], turn_id, compaction)

    def turns(self) -> Iterator[tuple[MessageAdded, str]]:
        """Yield each message with the id of the turn that read it last on this path."""
        readers = [message.turn_id or "" for message in self.path[1:]]
        yield from zip(self.path, [*readers, self.turn_id], strict=True)


def compaction_of(state: ChatState, message_id: str) -> ContextCompacted | None:
    """Return the compaction that covers most of the path to `message_id`; of several that do, the newest."""
    place = {message.message_id: n for n, message in enumerate(state.path(message_id)[:-1])}
    covering = [made for made in state.compactions.values() if made.through_id in place]
    return max(reversed(covering), key=lambda made: place[made.through_id], default=None)


def known_items(state: ChatState, sent: Sent, blobs: BlobStore) -> Mapping[str, str]:
    """Return what the model knows of the workspace from the messages before the newest one.

    A part that was added before the compaction knows more than is left: some of it was in messages that are covered.
    """
    compaction_id = sent.compaction.compaction_id if sent.compaction else None
    for message, turn_id in reversed(list(sent.turns())[:-1]):
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
) -> tuple[HistoryItem, ...]:
    """Return the items of a request, in order, with pictures for a model that `sees`.

    `newest` is the data part of the newest message, if no event has recorded it yet; `most` is how many characters of
    each result are sent.
    """
    items: list[HistoryItem] = []
    calls = state.calls_on(sent.path[-1].message_id)
    names = {call.requested.call_id: call_name(number) for number, call in enumerate(calls, 1)}
    if sent.compaction is not None:
        summary = blobs.read(sent.compaction.summary.sha256).decode()
        items.append(Message(sent.compaction.compaction_id, "user", (TextPart(text=summary),)))
    for added, turn_id in sent.turns():
        data = _data(state, added, turn_id, blobs)
        text = data.text if data else ""
        if newest is not None and added is sent.path[-1]:
            text = newest
        results = _results(state, added, blobs, names, sees=sees, most=most)
        items += _items(state, added, blobs, results, sees=sees, data_part=text)
    return tuple(items)


def _own(state: ChatState, added: MessageAdded) -> list[CallState]:
    """The calls of a message, in the order of its parts."""
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
) -> list[ToolMessage]:
    """The results of a message's calls, cut to what a request holds of one step."""
    own = _own(state, added)
    results = [_result(call, added, blobs, sees=sees) for call in own]
    sizes = [min(most, len(canonical_json(result.content))) for result in results]
    room = most if sum(sizes) <= _STEP_CHARACTERS else min(most, _STEP_CHARACTERS // len(own))
    return [
        replace(result, content=_capped(result, room, _hint(call, names, room)))
        for call, result in zip(own, results, strict=True)
    ]


def _hint(call: CallState, names: Mapping[str, str], most: int) -> str:
    """Where the rest of a result is."""
    if call.finished is None or call.finished.status != "success":
        return ""
    if call.requested.tool_id == READ_RESULT:
        return " Read one result at a time to get more of it."
    return f" read_result reads on: name {names[call.requested.call_id]}, offset {most}."


def _data(state: ChatState, message: MessageAdded, turn_id: str, blobs: BlobStore) -> DataPart | None:
    turn = state.turns.get(turn_id)
    ref, _ = turn.data.get(message.message_id, (None, None)) if turn else (None, None)
    return read_data_part(blobs.read(ref.sha256).decode()) if ref else None


def images_of(items: Sequence[HistoryItem], blobs: BlobStore) -> dict[str, bytes]:
    """Return the pictures that the messages name, by hash, but for those that retention removed."""
    images: dict[str, bytes] = {}
    for item in items:
        for part in item.parts if isinstance(item, Message) else item.pictures:
            if isinstance(part, ImagePart):
                with suppress(NotFound):
                    images[part.sha256] = blobs.read(part.sha256)
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


def _capped(result: ToolMessage, most: int, hint: str) -> JSON:
    text = canonical_json(result.content)
    if len(text) <= most:
        return result.content
    cut = f"This result has {len(text):,} characters; these are the first {most:,}.{hint}"
    return {"truncated": cut, "head": text[:most]}
