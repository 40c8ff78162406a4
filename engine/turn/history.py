"""From a chat's state to what a model is sent: the messages of one path, each call followed by its result.

What comes out is well-formed for every provider: each call is answered, also one that was interrupted, and an empty
assistant message (stopped before its first word) is left out.
"""

from collections.abc import Sequence
from contextlib import suppress

from engine.deciders.chat_state import CallState, ChatState
from engine.errors import NotFound
from engine.keeping import value_of
from engine.messages import HistoryItem, ImagePart, Message, ToolMessage, ToolRequest
from engine.workspace.blobs import BlobStore
from events.canonical import JSON, canonical_json, ordered
from events.catalog.chat import MessageAdded
from events.catalog.parts import CallPart

__all__ = ["RESULT_CHARACTERS", "history", "images_of"]

RESULT_CHARACTERS = 40_000
"""How much of a result's JSON a model is sent."""


def history(state: ChatState, path: Sequence[MessageAdded], blobs: BlobStore) -> tuple[HistoryItem, ...]:
    """Return the items of `path`, in order."""
    items: list[HistoryItem] = []
    for added in path:
        calls = {call.requested.call_id: call for call in state.calls_of(added.message_id)}
        own = [
            calls[part.call_id]
            for part in added.parts
            if isinstance(part, CallPart) and part.call_id in calls
        ]
        if not added.parts:
            continue
        requests = tuple(_request(call, added, blobs) for call in own)
        items.append(Message(added.message_id, added.role, added.parts, requests))
        items += [_result(call, added, blobs) for call in own]
    return tuple(items)


def images_of(items: Sequence[HistoryItem], blobs: BlobStore) -> dict[str, bytes]:
    """The pictures that the messages name, by hash; what retention removed is left out."""
    images: dict[str, bytes] = {}
    for item in items:
        for part in item.parts if isinstance(item, Message) else ():
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


def _result(call: CallState, added: MessageAdded, blobs: BlobStore) -> ToolMessage:
    requested, finished = call.requested, call.finished
    content: JSON
    if finished is None:
        status, content = "interrupted", {"error": "The call was interrupted and has no result."}
    elif finished.error is not None:
        status, content = finished.status, {"error": finished.error.message}
    else:
        status, content = finished.status, _capped(ordered(value_of(finished.result, blobs)))
    return ToolMessage(requested.call_id, _name(call, added), status, content, requested.provider_call_id)


def _name(call: CallState, added: MessageAdded) -> str:
    parts = (part for part in added.parts if isinstance(part, CallPart))
    return next((part.name for part in parts if part.call_id == call.requested.call_id), "")


def _capped(result: JSON) -> JSON:
    text = canonical_json(result)
    if len(text) <= RESULT_CHARACTERS:
        return result
    return {
        "truncated": f"This result has {len(text):,} characters; these are the first {RESULT_CHARACTERS:,}.",
        "head": text[:RESULT_CHARACTERS],
    }
