"""The text sent to a model if its answer has numbers that are not found in any result (TIM-11). Pure.

The answer stays on the branch as a draft: a message whose finish is `sent_back`. The text is the data part of the next
request, so that it is recorded with that request and stays in later ones. If the model replies with only a workings
block, the text of the draft becomes the answer.
"""

from collections.abc import Sequence

from engine.deciders.chat_state import ChatState
from engine.numbers.doubts import DoubtedNumber, NearCell
from engine.turn.data_part import fenced
from engine.turn.step import Reply
from events.catalog.chat import SENT_BACK, MessageAdded
from events.catalog.parts import ImagePart, TextPart, WorkingsPart

__all__ = ["completed", "second_look", "was_sent_back"]

_MOST_NUMBERS = 20
_LONGEST = 120
"""The maximum number of characters of each name in the description of a cell."""

_BEFORE = """\
Your last reply was not used as the answer. These numbers in it could not be traced to a result of this chat, or \
are wrong:"""
_AFTER = """\
If all of them are right, reply with only a workings block that has a line for each of them, also for one that is \
in a result as it is (412 = 412 | orders of West): your text then stays as it is. Otherwise write the whole reply \
again, with its block, and keep the sentences in which nothing is listed. Take each number from a result, or call a \
tool that computes it, and leave out a number that you cannot support. Do not mention this check."""


def second_look(numbers: Sequence[DoubtedNumber]) -> str:
    """Return the text that asks a model to write its answer again. Text from files is inside the fence."""
    lines = [_line(one) for one in numbers[:_MOST_NUMBERS]]
    left = len(numbers) - _MOST_NUMBERS
    lines += [f"- and {left} more"] if left > 0 else []
    return "\n".join([_BEFORE, fenced("\n".join(lines)), _AFTER])


def was_sent_back(state: ChatState, turn_id: str) -> bool:
    """Return whether an answer of the turn was already sent back."""
    return any(message.finish == SENT_BACK for message in state.steps_of(turn_id))


def completed(reply: Reply, draft: MessageAdded | None) -> bool:
    """Put the text of the draft before a reply that has only workings; return whether the reply has only workings."""
    if draft is None or draft.finish != SENT_BACK or reply.finish != "stop" or reply.calls:
        return False
    if reply.text.strip() or not reply.workings:
        return False
    kept = [part for part in draft.parts if isinstance(part, TextPart | ImagePart | WorkingsPart)]
    reply.parts[:] = [*kept, *(part for part in reply.parts if not isinstance(part, TextPart))]
    return True


def _line(one: DoubtedNumber) -> str:
    where = f" in “{one.sentence}”" if one.sentence != one.text else ""
    if one.reason:
        return f"- {one.text}{where}: a review found it wrong: {one.reason}"
    if one.objection:
        return f"- {one.text}{where}: its working was not accepted: {one.objection}"
    if one.same:
        return (
            f"- {one.text}{where}: this is {_near(one.nearest[0])}, but the sentence does not say so clearly"
        )
    near = "; ".join(_near(cell) for cell in one.nearest)
    return f"- {one.text}{where}" + (f" (closest values: {near})" if near else "")


def _near(cell: NearCell) -> str:
    row = f" of {cell.row[:_LONGEST]}" if cell.row else ""
    return f"{cell.value} = {cell.column[:_LONGEST]}{row} in {cell.result[:_LONGEST]}"
