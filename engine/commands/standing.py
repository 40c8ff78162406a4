"""Commands about standing questions: pinned answers whose calls run again."""

from typing import Literal

from engine.commands.base import Command
from events.late_dataclass import dataclass

__all__ = [
    "CheckStandingQuestion",
    "ChooseDirection",
    "ChooseTrigger",
    "MarkSeen",
    "PinAnswer",
    "UnpinAnswer",
]


@dataclass(frozen=True, slots=True)
class PinAnswer(Command[str]):
    """Pin an answer to the page of standing questions. Returns the pin's id.

    Nothing runs yet. The answer's value is the number or word in its text that equals a cell of its results.
    """

    chat_id: str
    message_id: str | None = None
    """A message of the answer; None: the chat's current message."""
    trigger: Literal["by hand", "when a file changes"] = "when a file changes"


@dataclass(frozen=True, slots=True)
class UnpinAnswer(Command[None]):
    """Remove an answer from the page of standing questions. Its checks stay in the history."""

    chat_id: str
    pin_id: str


@dataclass(frozen=True, slots=True)
class ChooseTrigger(Command[None]):
    """Choose when a standing question is checked."""

    chat_id: str
    pin_id: str
    trigger: Literal["by hand", "when a file changes"]
    """When to check. Only changes of files that the user added to the answer's branch count."""


@dataclass(frozen=True, slots=True)
class ChooseDirection(Command[None]):
    """Choose whether a rise or a fall of a standing question's value is good."""

    chat_id: str
    pin_id: str
    good: Literal["up", "down"] | None = None
    """The good direction; None: neither direction."""


@dataclass(frozen=True, slots=True)
class MarkSeen(Command[None]):
    """Record that the user saw the result of a standing question's last check."""

    chat_id: str
    pin_id: str


@dataclass(frozen=True, slots=True)
class CheckStandingQuestion(Command[str]):
    """Run a pinned answer's calls again with the chat's current files. Returns the id of the check.

    If the question is already being checked, the command waits for that check and returns its id. No model is asked.
    Calls that ask first, reach the network or use an MCP server do not run; the check reports them. `StopTurn` stops
    the check.
    """

    chat_id: str
    pin_id: str
