"""Commands that run recorded calls again, with or without a change."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from engine.commands.base import Command
from engine.commands.values import Upload
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["ReplayChat", "RerunChat"]


@dataclass(frozen=True, slots=True)
class ReplayChat(Command[str]):
    """Run a branch's recorded calls again and record whether each had the same result. Returns the id of the replay.

    Nothing else in the chat changes. `StopTurn` stops the re-run; the results so far are recorded.
    """

    chat_id: str
    message_id: str | None = None
    """The last message of the branch; None: the chat's current message."""
    call_ids: Sequence[str] = ()
    """The calls to run again; empty: all calls."""
    live: bool = False
    """Also run calls that read a source or reach the network or an MCP server. These calls send their arguments again.
    """


@dataclass(frozen=True, slots=True)
class RerunChat(Command[str]):
    """Run a branch's calls again on a new branch, with new files or a changed call. Returns the id of the rerun.

    No model is asked: the questions, the text of the answers and all other arguments do not change. If every call
    succeeds, the chat switches to the new branch at the end. If a call fails, or `StopTurn` stops the run, the new
    branch contains the calls that ran so far, and the chat stays on its branch. A run that cannot succeed is refused
    and creates no branch.
    """

    chat_id: str
    message_id: str | None = None
    """The last message of the branch; None: the chat's current message."""
    files: Sequence[Upload] = ()
    """Files that replace the files with the same names. Cannot be combined with `call_id`."""
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Columns that have a different name in a new file: file → column that the calls use → column of the new file."""
    call_id: str | None = None
    """The call to change; its step and everything after it run again."""
    arguments: Mapping[str, JSON] | None = None
    """The new arguments of that call."""
    live: bool = False
    """Also run calls that reach the network or an MCP server; otherwise their recorded results are used."""
    anyway: bool = False
    """Run even if a new file is not a table, or lacks a column or sheet that calls use."""
