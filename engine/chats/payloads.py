"""Removes secrets from values of events and stores them: JSON of up to 32 KiB in the event, larger values in the chat's
blobs (LOG-5).
"""

import json

from engine.secrets.scrubber import Scrubber
from engine.workspace.blobs import BlobStore
from events.canonical import canonical_json
from events.event import BlobRef, Inline, StoredValue
from events.json_value import JSON
from events.text import scrub_surrogates

__all__ = ["INLINE_BYTES", "PayloadStore", "value_of"]

INLINE_BYTES = 32 << 10
_HEAD = 200
_REF = set(BlobRef.model_fields)
_DEEPEST = 200


class PayloadStore:
    """Converts values for events, with the blobs of one chat. Secrets are removed before anything is shortened."""

    def __init__(self, blobs: BlobStore, scrubber: Scrubber) -> None:
        self.blobs = blobs
        self.scrubber = scrubber

    def value(self, value: JSON) -> StoredValue:
        """Return `value` in the form in which an event stores it. If this form refers to a blob, the blob is durable
        before this returns.

        A value that looks like the name of a blob, or that is nested too deeply to be checked in an event, is stored
        in a blob too.
        """
        value = self.scrubber.json(value)
        text = canonical_json(value)
        mistakable = isinstance(value, dict) and value.keys() == _REF
        if len(text.encode()) > INLINE_BYTES or mistakable or _depth(value) > _DEEPEST:
            return self._blob(text)
        return Inline(value=value)

    def text(self, text: str) -> BlobRef:
        """Store `text` in the blobs; equal texts are stored only once."""
        return self._blob(self.scrubber.text(text))

    def short(self, text: str) -> str:
        """Return `text`, or its first and last parts with the number of characters left out between them."""
        text = self.scrubber.text(text)
        if len(text) * 4 <= INLINE_BYTES or len(text.encode()) <= INLINE_BYTES:
            return text
        half = INLINE_BYTES // 8
        return f"{text[:half]}\n… {len(text) - 2 * half:,} characters are left out here …\n{text[-half:]}"

    def _blob(self, text: str) -> BlobRef:
        blob = self.blobs.put_bytes(scrub_surrogates(text).encode())
        return BlobRef(sha256=blob.sha256, size=blob.size, head=text[:_HEAD])


def _depth(value: JSON) -> int:
    below = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    depth = 0
    while below:
        depth += 1
        below = [
            inner
            for item in below
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def value_of(kept: StoredValue | None, blobs: BlobStore) -> JSON:
    """Return the original value from the form that `PayloadStore.value` returned; None for None."""
    if kept is None:
        return None
    if isinstance(kept, Inline):
        return kept.value
    loaded: JSON = json.loads(blobs.read(kept.sha256))
    return loaded
