"""Asks the model to review the numbers of its reply, in a separate request (TIM-11)."""

import time
from dataclasses import replace

from engine.chats.payloads import PayloadStore
from engine.chats.signals import LiveCall
from engine.models.messages import Message, TextPart
from engine.models.model import Finished, Model, ModelRequest, Usage
from engine.numbers.review import read_review
from engine.numbers.review_request import MOST_REVIEWED, REVIEW_SYSTEM, review_request
from engine.numbers.reviewed_number import ReviewedNumber
from engine.numbers.traced_reply import TracedReply
from engine.turn.parts import Turn, TurnParts
from engine.turn.step import Reply, read_quietly
from events.catalog.answer import NumbersReviewed, NumberVerdict
from events.late_dataclass import dataclass

__all__ = ["NumberReview", "review_numbers"]

_STOPPED = "The review was stopped before it was complete."
_CUT = "The review was cut short."
_NO_LINES = "The model did not reply in the form that it was asked for."


@dataclass(frozen=True, slots=True)
class NumberReview:
    """A review, and its cost."""

    model: str
    request: str
    """The text that the model was sent."""
    reply: str
    numbers: tuple[ReviewedNumber, ...]
    usage: Usage
    seconds: float
    problem: str | None = None
    """The reason why the model did not review the numbers."""

    def event(self, message_id: str, turn_id: str, keeper: PayloadStore) -> NumbersReviewed:
        """Return the event that records this review for a message."""
        names = ReviewedNumber.__slots__
        return NumbersReviewed(
            message_id=message_id,
            turn_id=turn_id,
            model=self.model,
            request=keeper.text(self.request),
            reply=keeper.text(self.reply),
            numbers=tuple(
                NumberVerdict(**{name: getattr(one, name) for name in names}) for one in self.numbers
            ),
            problem=self.problem,
            tokens_in=self.usage.tokens_in,
            tokens_out=self.usage.tokens_out,
            seconds=round(self.seconds, 3),
        )


def review_numbers(parts: TurnParts, turn: Turn, model: Model, traced: TracedReply) -> NumberReview:
    """Ask the model which numbers of a reply do not fit their sentences, and show that it is being asked."""
    live = LiveCall(f"review-{turn.turn_id}", "review", "", "running", text="Reviewing the numbers")
    parts.signals.call(turn.chat_id, turn.turn_id, live)
    began = time.monotonic()
    scrubber = parts.workspaces.payloads(turn.chat_id).scrubber
    asked = scrubber.text(_request(model, traced))
    try:
        reply = _reply(parts, turn, model, asked)
    except Exception as error:  # the answer is complete, and must not be lost if its review fails
        told = f"This is an error in Anabranch itself ({type(error).__name__}: {str(error)[:200]})."
        reply = Reply(end=Finished("error", error=told))
    parts.signals.call(turn.chat_id, turn.turn_id, replace(live, status="success", text=""))
    turn.usages.append(reply.end.usage)
    replied = scrubber.text(reply.text)
    numbers = read_review(replied, traced.numbers[:MOST_REVIEWED])
    problem = _problem(reply, stopped=turn.cancel.is_set) or (None if numbers else _NO_LINES)
    seconds = time.monotonic() - began
    return NumberReview(
        turn.model_name, asked, replied, () if problem else numbers, reply.end.usage, seconds, problem
    )


def _problem(reply: Reply, *, stopped: bool) -> str | None:
    """Return why a reply is not a complete review; None if it is complete. An incomplete review is not used."""
    if stopped:
        return _STOPPED
    return None if reply.finish == "stop" else reply.end.error or _CUT


def _request(model: Model, traced: TracedReply) -> str:
    question = traced.evidence.questions[-1] if traced.evidence.questions else ""
    return review_request(traced.text, question, traced.numbers, traced.evidence, model.window)


def _reply(parts: TurnParts, turn: Turn, model: Model, asked: str) -> Reply:
    request = ModelRequest(
        model=turn.model_name.partition(":")[2],
        system=REVIEW_SYSTEM,
        messages=(Message("", "user", (TextPart(text=asked),)),),
        tools=(),
        parameters=model.parameters,
        may_call=False,
        is_review=True,
    )
    return read_quietly(model.stream(request, turn.cancel), parts.new_id)
