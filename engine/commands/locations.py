"""Commands about linked files on this computer (SRC-1)."""

from engine.commands.base import Command
from engine.commands.values import Linked
from events.late_dataclass import dataclass

__all__ = ["AllowLocation", "ForbidLocation"]


@dataclass(frozen=True, slots=True)
class AllowLocation(Command[Linked]):
    """Allow a location on this computer to be read in place. Returns a link to its files for a chat.

    Add the link to a chat like any other file. Nothing is copied; chats see when the files change.
    """

    location: str
    """The full path of a file or a folder, or a pattern such as `/data/orders/*.parquet`."""


@dataclass(frozen=True, slots=True)
class ForbidLocation(Command[None]):
    """Withdraw the permission to read a location. Links to it stay in chats but are not followed; results stay."""

    location: str
