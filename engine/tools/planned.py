"""What is to be run, and where: the calls of one step, decided upon, and the branch that they work on."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.folders import ChatFolder
from engine.tools.tool import Tool
from events.canonical import JSON
from events.catalog.turn import CallFailure, FinalStatus

__all__ = ["Branch", "PlannedCall"]


@dataclass(slots=True)
class Branch:
    """Where a turn's work stands."""

    chat_id: str
    turn_id: str
    message_id: str | None
    """The message that makes the calls."""
    manifest_id: str | None
    folder: ChatFolder
    stopped_as: Callable[[], FinalStatus] = lambda: "cancelled"
    """How a call ends that was stopped: by the user, or because the app closes."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A requested call: ready to run, or already known to fail."""

    call_id: str
    name: str
    """What the model, or the user, called it."""
    tool: Tool | None
    arguments: JSON
    failure: CallFailure | None = None
    status: FinalStatus = "error"
    """With a failure: how the call ends."""
    approved: bool = False
    """The user allowed it in advance."""
    commentary: str = ""
