"""What is to be run, and where: the calls of one step, decided upon, and the branch that they work on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.folders import ChatFolder
from engine.tools.tool import Effects, Tool
from events.canonical import JSON, JSONObject
from events.catalog.turn import CallFailure, FinalStatus

__all__ = ["Approval", "Branch", "PlannedCall", "effects_of"]

Approval: TypeAlias = Literal["yes", "always in this chat"]
"""What allowed a call in advance."""


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
    """A requested call: ready to run, waiting for the user, or known already to end without running."""

    call_id: str
    name: str
    """What the model, or the user, called it."""
    tool: Tool | None
    arguments: JSON
    failure: CallFailure | None = None
    status: FinalStatus = "error"
    """With a failure: how the call ends."""
    answer: JSONObject | None = None
    """What the engine itself answers, where no process is to run."""
    picks: tuple[str, ...] = ()
    """Ids of tools whose full specifications are due from the next request on."""
    asks: bool = False
    """Its tool asks the user first."""
    waits: bool = False
    """And the user has not answered."""
    approved: Approval | None = None
    commentary: str = ""


def effects_of(call: PlannedCall) -> Effects:
    """What its tool does to the files; a call without a tool does nothing."""
    return call.tool.effects if call.tool is not None else "read"
