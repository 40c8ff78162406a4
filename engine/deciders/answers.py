"""Decisions about answers. Pure functions."""

from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused
from events.catalog.chat import EDITED, SENT_BACK, LeafSelected, MessageAdded
from events.catalog.parts import CallPart, ImagePart, TextPart, WorkingsPart, text_of
from events.event import Event
from events.identity import NewId

__all__ = ["edit_answer"]


def edit_answer(state: ChatState, message_id: str, text: str, new_id: NewId) -> list[Event]:
    """Return the events that add an edited version of an answer. The chat and its files switch to it.

    Raises:
        NotFound: the message is not an answer of this chat (`answer_not_found`).
        Refused: the text is empty or unchanged, or a turn or tool is running in the chat.
    """
    original = _answer(state, message_id)
    if not text.strip():
        raise Refused("answer_empty", "The answer would be empty. Write something, or leave it unchanged.")
    if text == text_of(original.parts):
        raise Refused("answer_same", "The answer already says that, so nothing was recorded.")
    if state.works:
        raise Refused("chat_busy", "Something is running in this chat. Wait until it has ended, or stop it.")
    kept = tuple(part for part in original.parts if isinstance(part, ImagePart | WorkingsPart))
    stands = state.manifest_at(original.parent_id)
    moved = (
        [LeafSelected(message_id=original.parent_id, manifest_id=stands)] if stands != state.manifest else []
    )
    edited = MessageAdded(
        message_id=new_id(),
        parent_id=original.parent_id,
        turn_id=original.turn_id,
        role="assistant",
        parts=(TextPart(text=text), *kept),
        becomes_leaf=True,
        finish=EDITED,
        replaces=message_id,
    )
    return [*moved, edited]


def _answer(state: ChatState, message_id: str) -> MessageAdded:
    message = state.messages.get(message_id)
    is_answer = (
        message is not None
        and message.role == "assistant"
        and message.finish != SENT_BACK
        and not any(isinstance(part, CallPart) for part in message.parts)
    )
    if message is None or not is_answer:
        raise NotFound(
            "answer_not_found",
            f"Message {message_id} is not an answer in this chat; only answers can be edited.",
        )
    return message
