"""Commands that run recorded calls again, unchanged or with something changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.base import Command
from engine.commands.values import Upload
from events.canonical import JSON

__all__ = ["ReplayChat", "RerunChat"]


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


@dataclass(frozen=True, slots=True)
class RerunChat(Command[str]):
    """Run a branch's calls again on a new branch, with other files or a changed call. Returns the id of the re-run.

    No model is asked: the questions, the answers' words and all other arguments stay. The chat moves to the new branch
    at the end if every call came through. If one fails, or `StopTurn` stops the run, what ran by then is on the new
    branch and the chat stays where it is. A run that cannot succeed is refused, and leaves no branch.
    """

    chat_id: str
    message_id: str | None = None
    """The end of the branch; None: where the chat stands."""
    files: Sequence[Upload] = ()
    """Files that take the place of those with the same name. With `call_id`: none."""
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Columns that have another name in a new file: file → column that the calls use → column of the new file."""
    call_id: str | None = None
    """The call to change; everything from its step on runs again."""
    arguments: Mapping[str, JSON] | None = None
    """What that call is given now."""
    live: bool = False
    """Also calls that reach the network or an MCP server; else their recorded results are taken over."""
    anyway: bool = False
    """Run although a new file is not a table, or lacks a column or sheet that calls use."""
