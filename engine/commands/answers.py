"""Commands about answers: edit an answer, and vouch for its numbers."""

from dataclasses import dataclass

from engine.commands.base import Command

__all__ = ["EditAnswer", "VouchNumber"]


@dataclass(frozen=True, slots=True)
class EditAnswer(Command[str]):
    """Add another version of an answer next to it, and go to the new one. Returns the id of the new message.

    No model is asked. The old answer stays on its own branch, and later questions follow the new text.
    """

    chat_id: str
    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class VouchNumber(Command[None]):
    """Confirm an untraced number in an answer, or withdraw the confirmation."""

    chat_id: str
    message_id: str
    number: int
    """The number's place among the traced numbers of the answer, from 1, as the page and `ask --json` count them."""
    vouched: bool = True
    """True to confirm the number, False to withdraw the confirmation."""
    candidate: int | None = None
    """The cell from which an unclear number came: its place in the dossier's list of candidates, from 1. None names no
    cell."""
