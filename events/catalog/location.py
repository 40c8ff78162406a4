"""Locations on this computer that the user allowed Anabranch to read in place. Stream `locations`."""

from typing import Literal

from events.event import Event, Value

__all__ = ["LocationAllowed", "LocationForbidden", "PartHash", "PartsHashed"]


class LocationAllowed(Event):
    """The user allowed chats to read a location in place."""

    type: Literal["LocationAllowed"] = "LocationAllowed"
    location: str
    """The absolute path of a file or a folder, or a pattern."""

    def sentence(self) -> str:
        """See `Event.sentence`: says which location."""
        return f"You allowed {self.location} to be read in place."


class LocationForbidden(Event):
    """The user no longer allows a location to be read. Links to it stay in the chats but are not followed."""

    type: Literal["LocationForbidden"] = "LocationForbidden"
    location: str

    def sentence(self) -> str:
        """See `Event.sentence`: says which location."""
        return f"You no longer allow {self.location} to be read."


class PartHash(Value):
    """The hash of one file, with the facts by which a later change is noticed."""

    path: str
    """Full path of the file."""
    size: int
    """Size in bytes."""
    mtime_ns: int
    """The time of the file's last change, in nanoseconds since 1970."""
    inode: int
    """The file's inode number in its file system."""
    sha256: str


class PartsHashed(Event):
    """Linked files were hashed in the background."""

    type: Literal["PartsHashed"] = "PartsHashed"
    location: str
    parts: tuple[PartHash, ...]
    """The hashed files, in order."""

    def sentence(self) -> str:
        """See `Event.sentence`: says how many files."""
        return f"{len(self.parts):,} files of {self.location} were hashed."
