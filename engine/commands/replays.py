"""Commands about recorded calls: run them again."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.base import Command

__all__ = ["ReplayChat"]


@dataclass(frozen=True, slots=True)
class ReplayChat(Command[str]):
    """Run a branch's recorded calls again and record whether each came to the same. Returns the id of the re-run.

    Nothing else of the chat changes. `StopTurn` stops it; what was found by then is recorded.
    """

    chat_id: str
    message_id: str | None = None
    """The end of the branch; None: where the chat stands."""
    call_ids: Sequence[str] = ()
    """Only these calls; none: all."""
    live: bool = False
    """Also calls that reach the network or an MCP server: they send their arguments again."""
