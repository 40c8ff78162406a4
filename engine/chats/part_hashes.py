"""Hashes linked files in the background, so that the log records their contents (SRC-1).

Size, time and inode show at once whether a file has changed, but hashing a file takes as long as reading it. The hash
of each state of a file is recorded once, for all chats that use the file. A file that changes while it is being read is
hashed the next time.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Event, Lock, Thread

from engine.workspace.links import Link, Part
from events.catalog.location import PartHash, PartsHashed
from events.log import EventLog

__all__ = ["PartHashes"]

_log = logging.getLogger("anabranch.links")
_CHUNK = 8 << 20
_AT_ONCE = 64
_BYTES_AT_ONCE = 4 << 30
"""New hashes are recorded after `_AT_ONCE` files, or when the hashed files reach this number of bytes in total."""


class PartHashes:
    """The hashes of linked files. Thread-safe."""

    def __init__(self, record: Callable[[PartsHashed], object], log: EventLog, stream: str) -> None:
        """`record` appends an event to `stream` of `log`."""
        self._record = record
        self._log, self._stream, self._begins = log, stream, True
        self._lock = Lock()
        self._known: dict[Part, str] = {}
        self._read = 0
        self._waiting: deque[Link] = deque()
        self._thread: Thread | None = None
        self._closed = Event()

    def of(self, link: Link) -> dict[str, str]:
        """Return the known hashes of a link's files, path → SHA-256, and start hashing the other files."""
        with self._lock:
            self._catch_up()
            known = {part.path: self._known[part] for part in link.parts if part in self._known}
            if len(known) < len(link.parts) and self._begins and not self._closed.is_set():
                self._begin(link)
        return known

    def close(self) -> None:
        """Stop hashing. Hashes that are not recorded yet are computed again later."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _begin(self, link: Link) -> None:
        if link not in self._waiting:
            self._waiting.append(link)
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._run, name="hashing linked files", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._closed.is_set():
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                link = self._waiting[0]
                left = [part for part in link.parts if part not in self._known]
            try:
                self._hash(link, left)
            except Exception:
                _log.warning("The files of %s could not be hashed.", link.location, exc_info=True)
                self._begins = False  # the log accepts no events, and hashing again would not help
            with self._lock:
                self._waiting.popleft()

    def _hash(self, link: Link, parts: Sequence[Part]) -> None:
        made: list[PartHash] = []
        size = 0
        for part in parts:
            digest = self._digest(part)
            if self._closed.is_set():
                break
            if digest is not None:
                made.append(
                    PartHash(
                        path=part.path,
                        size=part.size,
                        mtime_ns=part.mtime_ns,
                        inode=part.inode,
                        sha256=digest,
                    )
                )
                size += part.size
            if len(made) >= _AT_ONCE or size >= _BYTES_AT_ONCE:
                self._tell(link, made)
                made, size = [], 0
        self._tell(link, made)

    def _tell(self, link: Link, made: Sequence[PartHash]) -> None:
        if made:
            self._record(PartsHashed(location=link.location, parts=tuple(made)))

    def _digest(self, part: Part) -> str | None:
        """Return the hash of a file; None if the file cannot be read or differs from its entry in the link."""
        file = Path(part.path)
        digest = sha256()
        with suppress(OSError):
            if not _is(file, part):
                return None
            with file.open("rb") as stream:
                while (chunk := stream.read(_CHUNK)) and not self._closed.is_set():
                    digest.update(chunk)
            return digest.hexdigest() if _is(file, part) else None
        return None

    def _catch_up(self) -> None:
        if self._log.stream_version(self._stream) == self._read:
            return
        for recorded in self._log.read_stream(self._stream, self._read):
            self._read = recorded.version
            if isinstance(recorded.event, PartsHashed):
                for one in recorded.event.parts:
                    self._known[Part(one.path, one.size, one.mtime_ns, one.inode)] = one.sha256


def _is(file: Path, part: Part) -> bool:
    seen = file.lstat()
    return (seen.st_size, seen.st_mtime_ns, seen.st_ino) == (part.size, part.mtime_ns, part.inode)
