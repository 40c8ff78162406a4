"""Facts about answers: numbers that the user confirmed, and a model's review of all numbers."""

from typing import Annotated, Literal

from events.declarations import Copied, History, Refers
from events.event import BlobRef, ChatEvent, Value

__all__ = ["NumberVerdict", "NumberVouched", "NumbersReviewed"]


class NumberVouched(ChatEvent):
    """The user confirmed an untraced number of an answer, or withdrew the confirmation."""

    type: Literal["NumberVouched"] = "NumberVouched"
    history = History("choices")
    fork = Copied("message_id")
    message_id: Annotated[str, Refers("message")]
    start: int
    """The index of the number's first character in the answer's text."""
    text: str
    """The number as written in the answer."""
    vouched: bool = True
    """Whether it is confirmed; False if the confirmation was withdrawn."""
    call_id: Annotated[str | None, Refers("call", not_copied="cleared")] = None
    """If the user chose a cell as the number's origin, the call that made the cell."""
    result: str = ""
    """The name of the result that contains the chosen cell; "" if no cell was chosen."""
    row: int | None = None
    """The row of the chosen cell, from 0."""
    column: str = ""

    def sentence(self) -> str:
        """See `Event.sentence`: says which number."""
        said = "You vouched for" if self.vouched else "You no longer vouch for"
        return f"{said} the number {self.text[:60]}."


class NumberVerdict(Value):
    """The verdict of a review on one number."""

    start: int
    """The index of the number's first character in the answer's text."""
    text: str
    """The number as written in the answer."""
    verdict: Literal["right", "label", "wrong", "unknown"]
    """`label`: the sentence is true, and its number is only a name (“Route 7”) or a threshold (“above 100”). `unknown`:
    the results do not show whether the sentence is true."""
    source: str = ""
    """For `right`: how the number follows from values of the results, if the review says so."""
    reason: str = ""
    """For `wrong`: what is wrong."""


class NumbersReviewed(ChatEvent):
    """A model compared the numbers of an answer with the results, and said which ones are right."""

    type: Literal["NumbersReviewed"] = "NumbersReviewed"
    history = History("messages")
    fork = Copied("message_id")
    message_id: Annotated[str, Refers("message")]
    """The answer, or the draft that was sent back."""
    turn_id: Annotated[str | None, Refers("turn", not_copied="cleared")] = None
    model: str
    request: BlobRef | None = None
    """The text that the model was sent, after a system text that is always the same."""
    reply: BlobRef | None = None
    """The model's reply."""
    numbers: tuple[NumberVerdict, ...] = ()
    """The verdicts, in the order of the numbers in the text."""
    problem: str | None = None
    """The reason why the model did not review the numbers."""
    tokens_in: int | None = None
    """The tokens of the request for the review."""
    tokens_out: int | None = None
    seconds: float = 0.0

    def sentence(self) -> str:
        """See `Event.sentence`: says how many numbers are wrong."""
        if self.problem is not None:
            return "The numbers of the answer could not be reviewed."
        wrong = sum(one.verdict == "wrong" for one in self.numbers)
        found = f"{wrong:,} of {len(self.numbers):,}" if wrong else f"none of {len(self.numbers):,}"
        return f"The numbers of the answer were reviewed: {found} may be wrong."
