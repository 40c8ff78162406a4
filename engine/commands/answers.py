"""Commands about answers: edit an answer, and confirm its numbers."""

from engine.commands.base import Command
from events.late_dataclass import dataclass

__all__ = ["EditAnswer", "VouchNumber"]


@dataclass(frozen=True, slots=True)
class EditAnswer(Command[str]):
    """Add an edited version of an answer next to the original, and go to it. Returns the id of the new message.

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
    """The number's place among the traced numbers of the answer, counted from 1 as on the page and in `ask --json`."""
    vouched: bool = True
    """True to confirm the number, False to withdraw the confirmation."""
    candidate: int | None = None
    """If several cells could be the number's origin, the cell that the user chose: its place in the dossier's list of
    candidates, counted from 1. None: no cell is chosen.
    """
