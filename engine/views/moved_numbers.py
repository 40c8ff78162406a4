"""Lists changes in the numbers and sentences of a branch that was run again, for `rerun --json`. Pure."""

from collections.abc import Sequence
from typing import Literal

from engine.numbers.judged_sentence import JudgedSentence
from engine.views.answer_number import AnswerNumber
from engine.views.chat import ChatView
from engine.views.numbers import AnswerNumbers
from engine.views.rerun_numbers import answered_before, answers_of
from engine.views.reruns import RerunView
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["RereadAnswer", "reread_answers", "reread_numbers_document", "sentences_document"]


@dataclass(frozen=True, slots=True)
class RereadAnswer:
    """An answer on a branch that ran again."""

    message_id: str
    numbers: tuple[AnswerNumber, ...]
    """The numbers that come from cells."""
    sentences: tuple[JudgedSentence, ...]


def reread_answers(view: ChatView, run: RerunView, numbers: AnswerNumbers) -> list[RereadAnswer]:
    """Return the answers that a re-run copied. The values of their numbers are read again from the cells."""
    if run.leaf is None:
        return []
    return [
        RereadAnswer(
            one.message_id,
            tuple(number for number in numbers.of(view, one.message_id) if number.cells),
            tuple(numbers.sentences(view, one.message_id)),
        )
        for one in answers_of(view, run.leaf)
        if answered_before(view, run, one) is not None
    ]


def reread_numbers_document(found: Sequence[RereadAnswer]) -> list[JSON]:
    """Return the numbers as `rerun --json` prints them."""
    return [
        {
            "message_id": answer.message_id,
            "text": one.traced.mention.text,
            "before": one.traced.mention.text,
            "after": one.now if not one.lost else None,
            "status": _status(one),
        }
        for answer in found
        for one in answer.numbers
    ]


def _status(one: AnswerNumber) -> Literal["same", "moved", "gone", "calculated"]:
    """Return the status of a number.

    `gone`: its row or column no longer exists; `calculated`: it cannot be computed again.
    """
    if one.lost:
        return "gone" if one.lost == "gone" else "calculated"
    return "moved" if one.was else "same"


def sentences_document(found: Sequence[RereadAnswer]) -> list[JSON]:
    """Return the judged sentences as `rerun --json` prints them."""
    return [
        {"message_id": answer.message_id, "text": one.text, "follows": one.follows, "now": one.now or None}
        for answer in found
        for one in answer.sentences
    ]
