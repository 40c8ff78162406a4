"""Signed checkpoints: a log's size and tree hash as text to store elsewhere (C2SP `tlog-checkpoint`, `signed-note`).

anabranch/1f0c…            the log's name
2418                       how many events
b64(root)                  the Merkle tree over their hashes, RFC 9162

— anabranch/1f0c… b64(key id ‖ signature)
"""

import base64
import binascii
from hashlib import sha256

from events.late_dataclass import dataclass
from events.log import LogError

__all__ = ["BadNote", "Checkpoint", "key_id", "public_key", "signed", "verified"]

_ED25519 = b"\x01"
_ID, _SIGNATURE = 4, 64


class BadNote(LogError):
    """The text is not a checkpoint, or is not signed by the expected key."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a log at some time."""

    origin: str
    size: int
    """The number of events."""
    root: bytes

    def body(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def public_key(seed: bytes) -> bytes:
    """Return the public key (32 bytes) of a private key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - slow to import

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def key_id(origin: str, key: bytes) -> bytes:
    """Return the four bytes that identify the signing key."""
    return sha256(origin.encode() + b"\n" + _ED25519 + key).digest()[:_ID]


def signed(checkpoint: Checkpoint, seed: bytes) -> str:
    """Return the note: the checkpoint and its signature by the private key `seed` (32 bytes, Ed25519)."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - slow to import
        Ed25519PrivateKey,
    )

    key = Ed25519PrivateKey.from_private_bytes(seed)
    body = checkpoint.body()
    stamp = key_id(checkpoint.origin, key.public_key().public_bytes_raw()) + key.sign(body.encode())
    return f"{body}\n\u2014 {checkpoint.origin} {base64.b64encode(stamp).decode()}\n"


def verified(note: str, key: bytes | None) -> Checkpoint:
    """Return the checkpoint of a note. If a `key` is given, the note must be signed with it.

    Raises:
        BadNote: the note cannot be read, or its signature was not made with that key.
    """
    body, found, signatures = note.partition("\n\n")
    lines = body.split("\n")
    if not found or len(lines) < 3:
        raise BadNote(
            "This is not a checkpoint: it should be a log's name, a number, a hash, and a signature."
        )
    try:
        checkpoint = Checkpoint(lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True))
    except (ValueError, binascii.Error):
        raise BadNote("This is not a checkpoint: its number or its hash cannot be read.") from None
    if key is not None and not _is_signed(checkpoint.origin, f"{body}\n", signatures, key):
        raise BadNote("The checkpoint is not signed by the expected key, or was changed since.")
    return checkpoint


def _is_signed(origin: str, body: str, signatures: str, key: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    for line in signatures.split("\n"):
        _, _, encoded = line.rpartition(" ")
        try:
            stamp = base64.b64decode(encoded, validate=True)
        except (ValueError, binascii.Error):
            continue
        if stamp[:_ID] != key_id(origin, key) or len(stamp) != _ID + _SIGNATURE:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(stamp[_ID:], body.encode())
        except InvalidSignature:
            continue
        return True
    return False
