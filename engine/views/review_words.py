"""Describes the findings of a model's review in sentences. Pure."""

from collections.abc import Sequence

from engine.numbers.traced_number import UNTRACED
from engine.views.answer_number import AnswerNumber
from engine.views.model_info import model_title
from engine.views.number_reviews import ReviewView

__all__ = ["review_note", "review_words", "sent_back_words"]


def review_words(number: AnswerNumber, model: str) -> str:
    """Return a sentence about a review's finding on one number; "" if the number was not reviewed."""
    review = number.traced.review
    if review is None:
        return ""
    found = f"{model_title(model)} reviewed the answer"
    match review.verdict:
        case "right":
            told = f", because it is {review.source.rstrip('.')}" if review.source else ""
            doubt = " The results do not confirm this." if number.traced.status in UNTRACED else ""
            return f"{found} and found this number right{told}.{doubt}"
        case "label":
            return f"{found}: this number is part of a name, a date, a rank or a limit, and it is right."
        case "wrong":
            return f"{found} and found this number wrong: {number.traced.refuted_because}."
        case "unknown":
            return f"{found} and could not tell whether this number is right."


def review_note(review: ReviewView | None) -> str:
    """Return a short note on the review of an answer, for the line below it; "" if there was none."""
    if review is None:
        return ""
    if review.problem is not None:
        return f"not reviewed ({review.problem.rstrip('.')})"
    return f"reviewed by {model_title(review.model)}"


def sent_back_words(numbers: Sequence[AnswerNumber]) -> str:
    """Return a phrase that names the numbers that caused a draft to be sent back. The page puts it after
    “because of”.
    """
    refuted = [f"{one.text} ({one.traced.refuted_because})" for one in numbers if one.traced.is_refuted]
    unbacked = [one.text for one in numbers if one.status == "unbacked" and not one.traced.is_refuted]
    reasons = []
    if unbacked or not refuted:
        named = f": {', '.join(dict.fromkeys(unbacked))}" if unbacked else ""
        reasons.append(f"numbers that no result contains{named}")
    if refuted:
        reasons.append(f"numbers that do not fit their sentences: {', '.join(dict.fromkeys(refuted))}")
    return ", and of ".join(reasons)
