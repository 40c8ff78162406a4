"""Large values out of events: up to 32 KiB of JSON stand in the event, more stands in the chat's blobs (LOG-5)."""

import json

from engine.workspace.blobs import BlobStore
from events.canonical import JSON, canonical_json
from events.event import BlobRef, Inline, Kept

__all__ = ["INLINE_BYTES", "keep", "keep_text", "value_of"]

INLINE_BYTES = 32 << 10
_HEAD = 200


def keep(value: JSON, blobs: BlobStore) -> Kept:
    """Return what an event holds of `value`; a blob is durable before this returns."""
    text = canonical_json(value)
    return Inline(value=value) if len(text.encode()) <= INLINE_BYTES else keep_text(text, blobs)


def keep_text(text: str, blobs: BlobStore) -> BlobRef:
    """Put `text` into the blobs, where the same text stands once."""
    blob = blobs.put_bytes(text.encode())
    return BlobRef(sha256=blob.sha256, size=blob.size, head=text[:_HEAD])


def value_of(kept: Kept | None, blobs: BlobStore) -> JSON:
    """Return the value that `keep` was given; None for None."""
    if kept is None:
        return None
    if isinstance(kept, Inline):
        return kept.value
    loaded: JSON = json.loads(blobs.read(kept.sha256))
    return loaded
