"""SHA-256 of streams, and the format of a hash."""

import hashlib
from typing import BinaryIO

__all__ = ["CHUNK", "PIECE", "digest_of", "head_of", "is_hash"]

CHUNK = 1 << 20
"""Shorter contents are handled in memory."""

PIECE = 1 << 18
"""Bytes of longer contents that are read at once: few enough that hashing and writing find them in the processor's
cache.
"""


def head_of(stream: BinaryIO) -> bytes:
    """The first megabyte, or everything if there is less."""
    head = b""
    while len(head) < CHUNK and (more := stream.read(CHUNK - len(head))):
        head += more
    return head


def digest_of(stream: BinaryIO, first: bytes = b"") -> tuple[str, int]:
    """Return hash and length of `first` and the rest of `stream`."""
    digest, size = hashlib.sha256(first), len(first)
    while chunk := stream.read(PIECE):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def is_hash(text: str) -> bool:
    """Whether `text` is 64 lower-case hex digits."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")
