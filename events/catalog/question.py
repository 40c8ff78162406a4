"""Facts about queued questions. Stream `chat-<id>`."""

from typing import Annotated, Literal

from events.declarations import ByField, Content, Dropped, History, Makes, Refers
from events.event import ChatEvent, Value

__all__ = [
    "QuestionMoved",
    "QuestionQueued",
    "QuestionRefused",
    "QuestionReworded",
    "QuestionUnqueued",
    "QueuedFile",
]


class QueuedFile(Value):
    """A file attached to a waiting question. It gets its path in the workspace when the question is asked."""

    name: str
    sha256: Annotated[str, Content()]
    size: int


class QuestionQueued(ChatEvent):
    """A question was added to the chat's queue. It waits for the end of the running turn."""

    type: Literal["QuestionQueued"] = "QuestionQueued"
    history = History("messages", "You asked; the question waits until the turn ends.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Makes("queued")]
    text: str
    files: tuple[QueuedFile, ...] = ()


class QuestionMoved(ChatEvent):
    """A waiting question was moved forward or back in the queue."""

    type: Literal["QuestionMoved"] = "QuestionMoved"
    history = History("messages", "You moved a waiting question.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    before_id: Annotated[str | None, Refers("queued")] = None
    """The question before which it will be asked; None if it will be asked last."""


class QuestionReworded(ChatEvent):
    """A waiting question was reworded."""

    type: Literal["QuestionReworded"] = "QuestionReworded"
    history = History("messages", "You edited a waiting question.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    text: str


class QuestionRefused(ChatEvent):
    """A waiting question was refused when Anabranch tried to ask it. It is kept so that the user can resend or discard
    it.
    """

    type: Literal["QuestionRefused"] = "QuestionRefused"
    history = History("messages", "The waiting question could not be asked.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    code: str
    """The error code of the refusal."""
    message: str
    """The error message of the refusal."""


class QuestionUnqueued(ChatEvent):
    """A question left the queue, because it was asked or withdrawn."""

    type: Literal["QuestionUnqueued"] = "QuestionUnqueued"
    history = History(
        "messages",
        ByField(
            "reason",
            {
                "asked": "The waiting question was asked.",
                "taken_back": "You withdrew the waiting question.",
            },
        ),
    )
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    reason: Literal["asked", "taken_back"]
