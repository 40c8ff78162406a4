"""Facts of queued questions. Stream `chat-<id>`."""

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
    """A file that waits with its question: it gets its path in the workspace when that is asked."""

    name: str
    sha256: Annotated[str, Content()]
    size: int


class QuestionQueued(ChatEvent):
    """A question waits for the end of the chat's turn, behind those that wait already."""

    type: Literal["QuestionQueued"] = "QuestionQueued"
    history = History("messages", "You asked; the question waits until the turn ends.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Makes("queued")]
    text: str
    files: tuple[QueuedFile, ...] = ()


class QuestionMoved(ChatEvent):
    """A question that waits is to be asked earlier or later."""

    type: Literal["QuestionMoved"] = "QuestionMoved"
    history = History("messages", "You moved a waiting question.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    before_id: Annotated[str | None, Refers("queued")] = None
    """The one before which it is to be asked; None: it is the last."""


class QuestionReworded(ChatEvent):
    """A question that waits got other words."""

    type: Literal["QuestionReworded"] = "QuestionReworded"
    history = History("messages", "You edited a waiting question.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    text: str


class QuestionRefused(ChatEvent):
    """A question that waited could not be asked when its time had come; it stays to be sent again or discarded."""

    type: Literal["QuestionRefused"] = "QuestionRefused"
    history = History("messages", "The waiting question could not be asked.")
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    code: str
    """Of the refusal."""
    message: str
    """What the refusal said."""


class QuestionUnqueued(ChatEvent):
    """A question waits no more, nor stays as refused."""

    type: Literal["QuestionUnqueued"] = "QuestionUnqueued"
    history = History(
        "messages",
        ByField(
            "reason",
            {
                "asked": "The question that waited is asked.",
                "taken_back": "You took back the question that waited.",
            },
        ),
    )
    fork = Dropped("nothing runs in a fork, so nothing waits")
    queued_id: Annotated[str, Refers("queued")]
    reason: Literal["asked", "taken_back"]
