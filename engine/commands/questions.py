"""Commands about questions, their turns and their calls."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from engine.commands.base import Command
from engine.commands.values import Depth, IfRunning, TurnStart, Upload, Waiting
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "AnswerCall",
    "ApproveCall",
    "Ask",
    "AskAgain",
    "AskQueued",
    "BeginChat",
    "DenyCall",
    "EditMessage",
    "Retry",
    "RunTool",
    "StopTurn",
    "UnqueueQuestion",
]


@dataclass(frozen=True, slots=True)
class Ask(Command[TurnStart | Waiting]):
    """Add a question, with files, after the chat's current message, and answer it. Returns `TurnStart`.

    If the chat is still answering another question, `if_running` decides. With `refuse`, this question is refused
    (`turn_runs`), because two answers at once would be on two branches, of which only one is shown. With `queue`,
    it is queued, `Waiting` is returned, and the question is asked as soon as no turn of the chat is running or
    waiting for the user. At most 20 questions can wait in a chat. If Anabranch ends before the question is asked,
    it stays queued, but the permissions given with it are lost.

    A text such as `/query select 1` runs the tool whose command is `/query`, and no model is asked. `/help` lists the
    commands.
    """

    chat_id: str
    text: str
    files: Sequence[Upload] = ()
    allow_confirmations: bool = False
    """Approve in advance every call that asks before it runs (`--yes`)."""
    form: Mapping[str, JSON] | None = None
    """A query form that defines what `text` means. The offline analyst always answers it, not the chat's model."""
    allow_sends: Sequence[str] = ()
    """Destinations to which tools in this chat may send data from now on without asking (`--allow-send`). Use the names
    that waiting calls show.
    """
    if_running: IfRunning = "refuse"
    """What to do if the chat is still answering another question. A query form cannot be queued."""


@dataclass(frozen=True, slots=True)
class AskQueued(Command[None]):
    """Ask the first queued question of a chat now. Needed if Anabranch ended before the question was asked."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class UnqueueQuestion(Command[bool]):
    """Remove a queued question, or discard a refused one. Returns whether it was still queued."""

    chat_id: str
    queued_id: str


@dataclass(frozen=True, slots=True)
class MoveQueued(Command[None]):
    """Move a waiting question before another question, or to the end."""

    chat_id: str
    queued_id: str
    before_id: str | None = None
    """The queued question before which the moved question will be asked; None: it is asked last."""


@dataclass(frozen=True, slots=True)
class RewordQueued(Command[None]):
    """Edit a waiting question."""

    chat_id: str
    queued_id: str
    text: str


@dataclass(frozen=True, slots=True)
class BeginChat(Command[TurnStart]):
    """Begin a chat with its first question. If the question is refused, no chat is created. Returns `TurnStart`."""

    text: str
    files: Sequence[Upload] = ()
    model: str | None = None
    """The chat's model; None: the default model."""
    base_url: str | None = None
    selection: Mapping[str, Sequence[str]] | None = None
    """The chat's tools, as in `SelectTools`; None: the selection for new chats."""
    allow_confirmations: bool = False
    depth: Depth = "quick"
    form: Mapping[str, JSON] | None = None
    """See `Ask.form`."""
    allow_sends: Sequence[str] = ()
    """See `Ask.allow_sends`."""


@dataclass(frozen=True, slots=True)
class Retry(Command[TurnStart]):
    """Answer a question again. The new answer appears next to the existing answers. Returns `TurnStart`."""

    chat_id: str
    message_id: str
    """The question, or any message of the answer to replace."""
    allow_confirmations: bool = False
    form: Mapping[str, JSON] | None = None
    """A query form with a different reading of the question; see `Ask.form`."""


@dataclass(frozen=True, slots=True)
class EditMessage(Command[TurnStart]):
    """Ask an edited version of a question, next to the original and with its files. Returns `TurnStart`."""

    chat_id: str
    message_id: str
    text: str
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class ApproveCall(Command[TurnStart]):
    """Allow a waiting call, with the model's arguments or different ones. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    arguments: Mapping[str, JSON] | None = None
    """The arguments to use; None: the arguments that the model gave."""
    always: bool = False
    """Do not ask about this tool in this chat again; if the call sends data, do not ask about its destination."""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class DenyCall(Command[TurnStart]):
    """Deny a pending call. The model receives the denial as the call's result. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    reason: str = ""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class AnswerCall(Command[TurnStart]):
    """Answer a question that the model asked with `ask_user`. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    text: str
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class AskAgain(Command[None]):
    """Withdraw the permission "always in this chat". Calls of the tool, or calls that send data to the destination, ask
    again.
    """

    chat_id: str
    tool_id: str
    """A tool's id, or a destination with the name that calls show."""


@dataclass(frozen=True, slots=True)
class StopTurn(Command[int]):
    """Stop the chat's running and waiting turns, and the user's own calls. Returns how many were stopped."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class RunTool(Command[str]):
    """Run one tool as the user, without a model. Returns the call's id once it has ended."""

    chat_id: str
    tool_id: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    allow_confirmations: bool = False
    from_call_id: str | None = None
    """The call that the user changed to make this call. The old call's card shows the new result."""
