"""The log's mark outside the data folder, the signing key, and checkpoints for verifying a log elsewhere (LOG-10)."""

import os
import secrets
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from engine.config import config_folder
from engine.errors import Invalid, Refused
from events.anchor import AnchorFile, name_of
from events.late_dataclass import dataclass
from events.log_reads import first_hash, hashes_after, head_of
from events.merkle import Frontier
from events.read_store import ReadStore
from events.signed_notes import BadNote, Checkpoint, public_key, signed, verified

__all__ = ["Compared", "anchor_of", "checkpoint_note", "compare", "signing_key"]

_KEY = "checkpoint.key"
_SEED = 32


def anchor_of(data: Path, environ: Mapping[str, str] = os.environ) -> AnchorFile:
    """Return the mark of the log in `data`, which is in the user's configuration folder."""
    folder = config_folder(environ)
    return AnchorFile(folder / "checkpoints", data, lambda: signing_key(folder))


def signing_key(folder: Path) -> bytes:
    """Return the private key (32 bytes, Ed25519) that signs checkpoints on this machine. It is made on first use.

    Raises:
        OSError: the key can be neither read nor made.
    """
    path = folder / _KEY
    try:
        seed = bytes.fromhex(path.read_text(encoding="ascii").strip())
        if len(seed) != _SEED:
            raise ValueError("a key has 32 bytes")
        return seed
    except FileNotFoundError:
        pass
    except ValueError:  # truncated or damaged: keep it under another name
        path.replace(path.with_suffix(".unreadable"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = folder / f"{_KEY}.{os.getpid()}.{secrets.token_hex(4)}"
    descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(_SEED))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(fresh, path)  # if several processes create a key, all use the first one
    except FileExistsError:
        pass
    finally:
        fresh.unlink(missing_ok=True)
    return signing_key(folder)


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of comparing a log with an older checkpoint of it."""

    continues: bool
    size: int
    """The number of events in the checkpoint."""
    problem: str | None = None


def checkpoint_note(reads: ReadStore, seed: bytes) -> str:
    """Return the log's state as a signed text to store elsewhere.

    Raises:
        Refused: the log has no events.
    """
    with reads.reader() as cursor:
        log_id = first_hash(cursor)
        if log_id is None:
            raise Refused("log_empty", "The log has no events yet, so there is nothing to sign.")
        head, _ = head_of(cursor)
        tree = Frontier().extended(islice(hashes_after(cursor, 0), head))
    return signed(Checkpoint(name_of(log_id), head, tree.root()), seed)


def compare(reads: ReadStore, note: str, seed: bytes | None) -> Compared:
    """Check whether the log continues from the state in `note`.

    Raises:
        Invalid: the note cannot be read, or is not signed with the key `seed`.
    """
    try:
        checkpoint = verified(note, public_key(seed) if seed is not None else None)
    except BadNote as error:
        raise Invalid("checkpoint_unusable", f"The checkpoint cannot be used: {error}") from error
    with reads.reader() as cursor:
        log_id, (head, _) = first_hash(cursor), head_of(cursor)
        if log_id is None or name_of(log_id) != checkpoint.origin:
            return Compared(
                False, checkpoint.size, f"The checkpoint belongs to another log, {checkpoint.origin}."
            )
        if head < checkpoint.size:
            problem = f"The log ends at event {head}, but the checkpoint covers {checkpoint.size} events."
            return Compared(False, checkpoint.size, problem)
        tree = Frontier().extended(islice(hashes_after(cursor, 0), checkpoint.size))
    if tree.root() != checkpoint.root:
        problem = f"The first {checkpoint.size} events are not the ones that the checkpoint covers."
        return Compared(False, checkpoint.size, problem)
    return Compared(True, checkpoint.size)
