"""Commands about answers: edit one, and vouch for its numbers."""

from dataclasses import dataclass

from engine.commands.base import Command

__all__ = ["EditAnswer", "VouchNumber"]


@dataclass(frozen=True, slots=True)
class EditAnswer(Command[str]):
    """Add another version of an answer as its sibling, and go to it. Returns the id of the new message.

    No model is asked. The old answer stays on its own branch, and later questions are asked after the new text.
    """

    chat_id: str
    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class VouchNumber(Command[None]):
    """Confirm a number of an answer that is not traced, or withdraw the confirmation."""

    chat_id: str
    message_id: str
    number: int
    """Which of the traced numbers of the answer, from 1, as the page and `ask --json` count them."""
    vouched: bool = True
    """False: withdraw the confirmation."""
    candidate: int | None = None
    """The cell that an unclear number is, from 1, as its dossier lists the candidates; None: no cell is named."""
