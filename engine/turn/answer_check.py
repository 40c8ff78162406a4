"""Checks the numbers of a reply before it becomes the answer: traces them, has them reviewed, and decides whether the
reply is sent back (TIM-11).
"""

from engine.numbers.doubts import DoubtedNumber, doubted_numbers
from engine.turn.number_review import NumberReview, review_numbers
from engine.turn.parts import Turn, TurnParts
from engine.turn.second_look import was_sent_back
from engine.turn.step import Reply
from events.late_dataclass import dataclass

__all__ = ["AnswerCheck", "check_answer"]


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """The result of checking the numbers of a reply."""

    doubted: tuple[DoubtedNumber, ...] = ()
    """The doubtful numbers for which the reply is sent back; empty if the reply becomes the answer."""
    review: NumberReview | None = None


def check_answer(parts: TurnParts, turn: Turn, reply: Reply) -> AnswerCheck:
    """Check the numbers of a reply that ends a turn.

    A reply is sent back at most once in a turn, and only if the model can write it again.
    """
    model, rules = turn.model, turn.rules
    reviews = model is not None and model.reviews and rules.review_numbers
    revises = model is not None and model.revises and rules.recheck_numbers
    with parts.chats.locked(turn.chat_id) as state:
        revises = revises and not was_sent_back(state, turn.turn_id)
    if model is None or not (reviews or revises):
        return AnswerCheck()
    scrubber = parts.workspaces.payloads(turn.chat_id).scrubber
    text, workings = (
        scrubber.text(reply.text),
        scrubber.text(reply.workings),
    )  # in the form in which they are stored
    traced = parts.traced(turn.chat_id, turn.message_id, text, workings)
    if traced is None:
        return AnswerCheck()
    review: NumberReview | None = None
    if reviews and traced.has_values:
        review = review_numbers(parts, turn, model, traced)
        traced = parts.traced(turn.chat_id, turn.message_id, text, workings, review.numbers) or traced
    stopped = turn.cancel.is_set
    return AnswerCheck(doubted_numbers(traced) if revises and not stopped else (), review)
