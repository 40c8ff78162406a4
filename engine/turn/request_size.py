"""Estimates a request's tokens, and decides which part of a conversation to summarise so that it fits. Pure."""

from collections.abc import Sequence

from engine.models.messages import CallPart, HistoryItem, ImagePart, Message, OpaquePart, ToolMessage
from engine.models.model import ModelRequest
from events.canonical import canonical_json

__all__ = ["FULL", "KEPT", "cut", "item_tokens", "request_tokens"]

FULL = 0.7
"""If a request needs more than this share of a window, older messages are summarised."""
KEPT = 0.25
"""The messages that are then not summarised may need at most this share of the window."""

_CHARACTERS_PER_TOKEN = 4
_PICTURE = 1_500
"""The number of tokens of a picture. Providers count 85 to 1,600 for the sizes that are sent."""


def request_tokens(request: ModelRequest, body: bytes) -> int:
    """Return the approximate number of tokens of a request with this `body`."""
    named = request.messages if request.images else ()
    pictures = [_picture_bytes(request, part) for item in named for part in _pictures(item)]
    return max(0, len(body) - sum(pictures)) // _CHARACTERS_PER_TOKEN + _PICTURE * len(pictures)


def item_tokens(item: HistoryItem) -> int:
    """Return the approximate number of tokens of one message."""
    return _item_characters(item) // _CHARACTERS_PER_TOKEN + _PICTURE * len(_pictures(item))


def cut(sizes: Sequence[int], begins_turn: Sequence[bool], most: int) -> int:
    """Return how many of the first messages to summarise so that the others have at most `most` tokens.

    `sizes` contains the tokens of each message with the results of its calls; `begins_turn` says which messages are the
    user's. The cut is before a user's message if possible, so that no turn is split; otherwise it is before a step of
    the last turn. The newest message always stays, however long it is. If all messages fit, none is summarised.
    """
    if sum(sizes) <= most:
        return 0
    fits = [n for n in range(1, len(sizes)) if sum(sizes[n:]) <= most]
    whole = [n for n in fits if begins_turn[n]]
    if whole:
        return whole[0]
    return fits[0] if fits else max(0, len(sizes) - 1)


def _item_characters(item: HistoryItem) -> int:
    if isinstance(item, ToolMessage):
        return len(canonical_json(item.content)) + 60
    texts = sum(
        len(part.text) for part in item.parts if not isinstance(part, CallPart | ImagePart | OpaquePart)
    )
    calls = sum(len(canonical_json(request.arguments)) + 100 for request in item.requests)
    return texts + calls + len(item.data_part) + 30


def _pictures(item: HistoryItem) -> list[ImagePart]:
    parts = item.parts if isinstance(item, Message) else item.pictures
    return [part for part in parts if isinstance(part, ImagePart)]


def _picture_bytes(request: ModelRequest, part: ImagePart) -> int:
    return len(request.images.get(part.sha256, b"")) * 4 // 3
