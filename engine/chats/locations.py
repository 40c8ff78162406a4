"""The locations on this computer that the user allowed Anabranch to read in place: lists and changes them."""

import contextlib
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Lock
from uuid import uuid4

from engine.chats.conflicts import retry_conflicts
from engine.chats.part_hashes import PartHashes
from engine.errors import NotFound
from engine.workspace.links import ENDING, Link, NotALink, link_of
from engine.workspace.locations import find_link, look_again, plain_location
from engine.workspace.manifest import Files
from events.catalog.location import LocationAllowed, LocationForbidden
from events.event import Event
from events.log import Append, EventLog

__all__ = ["LocationBook"]

STREAM = "locations"
_MANY = 100
"""If a link has more files than this, its location is examined at most once every `_EVERY` seconds."""
_EVERY = 5.0


class LocationBook:
    """Reads and changes the allowed locations. Thread-safe."""

    def __init__(self, log: EventLog, own: tuple[Path, ...]) -> None:
        """`own` lists Anabranch's folders, which the user cannot allow."""
        self._log = log
        self._own = own
        self._lock = Lock()
        self._version = 0
        self._allowed: dict[str, None] = {}
        self._looked: dict[str, float] = {}
        self.hashes = PartHashes(lambda event: self._change(lambda: [event]), log, STREAM)

    def allowed(self) -> Collection[str]:
        """Return the locations that may be read, in the order in which they were allowed."""
        with self._lock:
            return tuple(self._read())

    def allow(self, text: str) -> Link:
        """Allow a location, unless it is already allowed, and return the link to its current contents.

        Raises:
            NotFound, Refused: there is nothing usable at that location.
        """
        location = plain_location(text, self._own)
        link = find_link(location)
        self._change(lambda: [] if location in self._read() else [LocationAllowed(location=location)])
        self.hashes.of(link)
        return link

    def forbid(self, location: str) -> None:
        """Withdraw the permission to read a location.

        Raises:
            NotFound: the location is not allowed.
        """

        def decided() -> list[Event]:
            if location not in self._read():
                raise NotFound(
                    "location_not_allowed",
                    f"{location} is not an allowed location. `anabranch link list` shows all allowed locations.",
                )
            return [LocationForbidden(location=location)]

        self._change(decided)

    def look(self, files: Files, folder: Path) -> bool:
        """Update the links in `folder`, which contains `files`; return whether a link changed."""
        found = [self._brought(folder / path) for path in files if path.endswith(ENDING)]
        return any(found)

    def _brought(self, file: Path) -> bool:
        try:
            link = link_of(file.read_bytes())
        except (NotALink, OSError):
            return False
        if link.location not in self.allowed() or self._is_fresh(link):
            return False
        now = look_again(link)
        if now == link:
            return False
        fresh = file.with_name(f".{file.name}.{uuid4().hex}")
        try:
            fresh.write_bytes(now.content())
            fresh.replace(file)
        finally:
            with contextlib.suppress(OSError):
                fresh.unlink()
        self.hashes.of(now)
        return True

    def _is_fresh(self, link: Link) -> bool:
        """Return whether a link with many files was examined less than `_EVERY` seconds ago; if not, note the time."""
        with self._lock:
            before = self._looked.get(link.location)
            self._looked[link.location] = now = time.monotonic()
            fresh = len(link.parts) > _MANY and before is not None and now - before < _EVERY
            if fresh:
                self._looked[link.location] = before or now
            return fresh

    def _change(self, decide: Callable[[], Sequence[Event]]) -> None:
        def attempt() -> None:
            self._read()
            events = decide()
            if events:
                self._log.append(Append(STREAM, events, expected=self._version))

        with self._lock:
            retry_conflicts(attempt)

    def _read(self) -> dict[str, None]:
        if self._log.stream_version(STREAM) != self._version:
            for recorded in self._log.read_stream(STREAM, self._version):
                self._version = recorded.version
                if isinstance(recorded.event, LocationAllowed):
                    self._allowed[recorded.event.location] = None
                elif isinstance(recorded.event, LocationForbidden):
                    self._allowed.pop(recorded.event.location, None)
        return self._allowed
