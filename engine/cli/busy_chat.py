"""Asking in a chat where a turn may run: the question waits, or it is refused, as its asker chooses."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.commands.catalog import Ask, QueueQuestion
from engine.errors import Refused

if TYPE_CHECKING:
    from engine.app.app import App
    from engine.command_handlers.queue import Waiting
    from engine.command_handlers.starting import TurnStart

__all__ = ["IfRunning", "ask_or_queue"]

IfRunning: TypeAlias = Literal["refuse", "queue"]
"""What to do with a question for a chat in which another one is being answered."""


def ask_or_queue(app: "App", command: Ask, if_running: IfRunning) -> "TurnStart | Waiting":
    """Ask; if a question is being answered there, queue this one or let the refusal pass.

    Raises:
        Refused: another question runs (`turn_runs`), or waits already (`question_waits`), or it breaks a rule.
    """
    try:
        return app.send(command)  # type: ignore[no-any-return]
    except Refused as error:
        if error.code != "turn_runs" or if_running == "refuse" or command.form is not None:
            raise
    return app.send(  # type: ignore[no-any-return]
        QueueQuestion(
            command.chat_id,
            command.text,
            command.files,
            allow_confirmations=command.allow_confirmations,
            allow_sends=command.allow_sends,
        )
    )
