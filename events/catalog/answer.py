"""Facts about answers: numbers that the user confirmed."""

from typing import Annotated, Literal

from events.declarations import Copied, History, Refers
from events.event import ChatEvent

__all__ = ["NumberVouched"]


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
    """The call that made the confirmed cell, if the user chose one."""
    result: str = ""
    """The name of the result with that cell; "" if no cell was named."""
    row: int | None = None
    """The cell's row, from 0."""
    column: str = ""

    def sentence(self) -> str:
        """See `Event.sentence`: says which number."""
        said = "You vouched for" if self.vouched else "You no longer vouch for"
        return f"{said} the number {self.text[:60]}."
