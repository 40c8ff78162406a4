"""API documents about chats: the list, questions, answers, and pending calls."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

__all__ = [
    "Answer",
    "AnswerText",
    "Approval",
    "ChatRow",
    "Created",
    "Denial",
    "NewChat",
    "QueryForm",
    "Question",
    "Stopped",
]


class ChatRow(BaseModel):
    """A chat in the list."""

    chat_id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    message_count: int


class NewChat(BaseModel):
    """The body of a request that begins a chat."""

    title: str = Field(default="", max_length=500)


class Created(BaseModel):
    """A chat that was begun."""

    chat_id: str


class Question(BaseModel):
    """A question. To send files with it, send a form with `file` fields."""

    text: str = Field(max_length=1_000_000)
    allow_confirmations: bool = False
    """Approve in advance every call that asks before it runs, except calls that would send data from the chat."""
    allow_sends: list[Annotated[str, Field(max_length=300)]] = Field(default_factory=list, max_length=50)
    """Destinations to which tools in this chat may send data from now on without asking."""
    if_running: Literal["refuse", "queue"] = "refuse"
    """What to do if the chat is still answering another question: respond with 409 `turn_runs`, or wait until that
    answer is finished. At most 20 questions can wait in a chat.
    """


class QueryForm(BaseModel):
    """A query form to be answered by the offline analyst."""

    form: dict[str, Any]
    """The query form, which says what to compute; see the documentation of query forms."""
    text: str | None = Field(default=None, max_length=10_000)
    """The question as the chat shows it; None: a sentence that describes the form."""
    message_id: str | None = None
    """An existing question to answer again with the form, beside its other answers; None: ask a new question."""


class Approval(BaseModel):
    """Permission for a waiting call."""

    arguments: dict[str, Any] | None = None
    """Run the call with these arguments instead."""
    always: bool = False
    """Do not ask again before this tool runs in this chat."""
    allow_confirmations: bool = False


class Denial(BaseModel):
    """Denial of a waiting call."""

    reason: str = Field(default="", max_length=10_000)
    allow_confirmations: bool = False


class AnswerText(BaseModel):
    """The user's answer to a question from the model."""

    text: str = Field(min_length=1, max_length=4_000)
    allow_confirmations: bool = False


class Answer(BaseModel):
    """The outcome of a turn, sent as the last event of its stream."""

    chat_id: str
    turn_id: str
    finish: str
    answer: str
    tool_calls: list[dict[str, Any]]
    usage: dict[str, Any]
    definitions: list[dict[str, Any]]
    """The user's definitions that the answer used: `term`, `meaning`, `version`, and `scope` (`chat`, `everywhere`)."""
    error: dict[str, Any] = {}
    """`code` and `message`; only if `finish` is `error`."""


class Stopped(BaseModel):
    """The number of turns and tools that were stopped."""

    stopped: int
