"""Computes the SHA-256 of streams, and defines the format of a hash."""

import hashlib
from typing import BinaryIO

__all__ = ["CHUNK", "PIECE", "digest_of", "head_of", "is_hash"]

CHUNK = 1 << 20
"""Content up to this size is handled in memory."""

PIECE = 1 << 18
"""The number of bytes that are read at once from longer content. A piece of this size stays in the processor's cache
until it is hashed and written.
"""


def head_of(stream: BinaryIO) -> bytes:
    """Return the first megabyte, or everything if there is less."""
    head = b""
    while len(head) < CHUNK and (more := stream.read(CHUNK - len(head))):
        head += more
    return head


def digest_of(stream: BinaryIO, first: bytes = b"") -> tuple[str, int]:
    """Return the hash and the length of `first` followed by the rest of `stream`."""
    digest, size = hashlib.sha256(first), len(first)
    while chunk := stream.read(PIECE):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def is_hash(text: str) -> bool:
    """Return whether `text` is 64 lower-case hex digits."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")
