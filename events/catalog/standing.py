"""Facts about standing questions: pinned answers whose calls run again on request or when a file changes."""

from typing import Annotated, Literal

from pydantic import Field

from events.declarations import Dropped, History, Makes, Refers
from events.event import ChatEvent, Value

__all__ = [
    "AnswerPinned",
    "AnswerUnpinned",
    "CheckCause",
    "Direction",
    "DirectionChosen",
    "PinnedValue",
    "StandingQuestionCheckStarted",
    "StandingQuestionChecked",
    "StandingQuestionSeen",
    "StandingVerdict",
    "Trigger",
    "TriggerChosen",
]

Trigger = Literal["by hand", "when a file changes"]
"""When a standing question is checked."""
Direction = Literal["up", "down"]
"""Whether a higher or a lower value is good."""
CheckCause = Literal["by hand", "a file changed"]
"""The reason why a check began."""
StandingVerdict = Literal["same", "moved", "no longer follows", "could not run"]
"""The result of a check."""
_STAYS = "a standing question stays with the chat in which the answer was pinned"


class PinnedValue(Value):
    """The number or word that represents an answer, and the cell from which it is read."""

    text: str
    """The value as shown, such as `84,310`, `9.6%` or `North`."""
    number: float | None = None
    """The cell's number; None for a word."""
    call: int
    """The index of the call that returned the cell, among the answer's calls, from 0."""
    column: str
    row: int
    """The row's index, from 0. It identifies the row if there are no `labels`."""
    labels: tuple[str, ...] = ()
    """The words in the row's other cells, by which the row is found after a re-run."""
    decimals: int = 0
    """The number of decimal places shown."""
    scale: float = 1.0
    """The factor by which the cell's number is multiplied to get the shown number, such as 100 for a percentage."""
    grouped: bool = False
    """Whether thousands are separated in the shown number."""
    before: str = ""
    """The text before the number, such as `$`."""
    after: str = ""
    """The text after the number, such as `%`."""


class AnswerPinned(ChatEvent):
    """An answer was pinned to the page of standing questions."""

    type: Literal["AnswerPinned"] = "AnswerPinned"
    history = History("choices", "You pinned an answer.")
    fork = Dropped(_STAYS)
    pin_id: Annotated[str, Makes("pin")]
    message_id: Annotated[str, Refers("message")]
    """The answer's last message."""
    trigger: Trigger = "by hand"
    value: PinnedValue | None = None
    """The pinned value; None if the answer has no single value."""
    files: dict[str, str]
    """Path → SHA-256 of the files that the user had added to the branch when the answer was pinned."""


class AnswerUnpinned(ChatEvent):
    """An answer was removed from the page of standing questions. Its checks stay in the history."""

    type: Literal["AnswerUnpinned"] = "AnswerUnpinned"
    history = History("choices", "You unpinned an answer.")
    fork = Dropped(_STAYS)
    pin_id: Annotated[str, Refers("pin")]


class TriggerChosen(ChatEvent):
    """The user chose when a standing question is checked."""

    type: Literal["TriggerChosen"] = "TriggerChosen"
    history = History("choices", "A pinned answer is now checked {trigger}.")
    fork = Dropped(_STAYS)
    pin_id: Annotated[str, Refers("pin")]
    trigger: Trigger


class DirectionChosen(ChatEvent):
    """The user chose whether a rise or a fall of a pinned value is good."""

    type: Literal["DirectionChosen"] = "DirectionChosen"
    history = History("choices")
    fork = Dropped(_STAYS)
    pin_id: Annotated[str, Refers("pin")]
    good: Direction | None
    """The good direction; None if neither is good."""

    def sentence(self) -> str:
        """See `Event.sentence`: says which direction is good."""
        if self.good is None:
            return "You no longer say whether a rise of a pinned value is good."
        return f"You said that a {'rise' if self.good == 'up' else 'fall'} of a pinned value is good."


class StandingQuestionCheckStarted(ChatEvent):
    """The calls of a pinned answer began to run again. If no result follows, the check was interrupted."""

    type: Literal["StandingQuestionCheckStarted"] = "StandingQuestionCheckStarted"
    history = History("calls", "The check of a pinned answer began: {cause}.")
    fork = Dropped(_STAYS)
    check_id: Annotated[str, Makes("check")]
    pin_id: Annotated[str, Refers("pin")]
    cause: CheckCause = "by hand"
    """What started the check."""
    files: dict[str, str] = Field(default_factory=dict)
    """Path → SHA-256 of the files with which the check ran; empty in older events, which did not record them."""


class StandingQuestionChecked(ChatEvent):
    """The calls of a pinned answer ran again, or could not run."""

    type: Literal["StandingQuestionChecked"] = "StandingQuestionChecked"
    history = History("calls")
    fork = Dropped(_STAYS)
    check_id: Annotated[str, Refers("check")]
    pin_id: Annotated[str, Refers("pin")]
    verdict: StandingVerdict
    before: PinnedValue | None = None
    """The last value before this check."""
    after: PinnedValue | None = None
    """The new value; None if the answer has no single value, or if the value could not be read."""
    calls: int = 0
    """The number of calls that ran."""
    moved: int = 0
    """The number of calls whose result differs from the answer's."""
    message_id: Annotated[str | None, Refers("message")] = None
    """The last message of the branch with the new results; None if nothing changed or no branch could be made."""
    why: str = ""
    """Why the check could not run, or why the answer no longer follows from the results; also how columns were matched,
    or why there is no branch.
    """
    fix: Literal["", "match columns", "find the file"] = ""
    """The step that the user can take to let the check run."""
    path: str | None = None
    """The file to which `fix` refers."""
    files: dict[str, str]
    """Path → SHA-256 of the user's files with which the calls ran."""
    results: tuple[str, ...] = ()
    """The SHA-256 of each result as canonical JSON, in the order of the answer's calls; the next check compares with
    them."""
    seconds: float = 0.0

    def sentence(self) -> str:
        """See `Event.sentence`: states the verdict, the new value if it changed, and the reason."""
        if self.verdict == "could not run":
            return f"A pinned answer could not be checked ({self.why.strip().rstrip('.')})."
        value = f" It is now {self.after.text}." if self.after is not None and self.verdict != "same" else ""
        says = {
            "same": "is the same",
            "moved": "has moved",
            "no longer follows": "no longer follows from the data",
        }
        return f"A pinned answer {says[self.verdict]}.{value} {self.why}".rstrip()


class StandingQuestionSeen(ChatEvent):
    """The user opened a standing question whose value had moved."""

    type: Literal["StandingQuestionSeen"] = "StandingQuestionSeen"
    history = History("choices", "You looked at a pinned answer.")
    fork = Dropped(_STAYS)
    pin_id: Annotated[str, Refers("pin")]
    check_id: Annotated[str, Refers("check")]
    """The check whose value the user saw."""
