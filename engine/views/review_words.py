"""Says in words what a model's review found about a number. Pure."""

from collections.abc import Sequence

from engine.numbers.reviewed_number import ReviewedNumber
from engine.views.answer_number import AnswerNumber
from engine.views.model_info import model_title
from engine.views.number_reviews import ReviewView

__all__ = ["review_note", "review_words", "sent_back_words"]


def review_words(review: ReviewedNumber | None, model: str) -> str:
    """Return what a review found about one number; "" if it was not reviewed."""
    if review is None:
        return ""
    match review.verdict:
        case "right":
            told = f", because it is {review.source.rstrip('.')}" if review.source else ""
            return f"{model} reviewed the answer and found this number right{told}."
        case "label":
            return f"{model} reviewed the answer: this is a name, a date, a rank or a limit, and it is right."
        case "wrong":
            told = review.reason.rstrip(".") or "the results say otherwise"
            return f"{model} reviewed the answer and found this number wrong: {told}."
        case "unknown":
            return f"{model} reviewed the answer and could not tell whether this number is right."


def review_note(review: ReviewView | None) -> str:
    """Return a short note on the review of an answer, for the line below it; "" if there was none."""
    if review is None:
        return ""
    if review.problem is not None:
        return f"not reviewed ({review.problem.rstrip('.')})"
    return f"reviewed by {model_title(review.model)}"


def sent_back_words(numbers: Sequence[AnswerNumber]) -> str:
    """Return why a draft with these numbers was sent back."""
    refuted = [one for one in numbers if one.traced.is_refuted]
    unbacked = list(
        dict.fromkeys(one.text for one in numbers if one.status == "unbacked" and one not in refuted)
    )
    wrong = [f"{one.text} ({_reason(one)})" for one in refuted]
    reasons = []
    if unbacked or not wrong:
        named = f": {', '.join(unbacked)}" if unbacked else ""
        reasons.append(f"numbers that no result contains{named}")
    if wrong:
        reasons.append(f"numbers that do not fit their sentences: {', '.join(dict.fromkeys(wrong))}")
    return ", and of ".join(reasons)


def _reason(one: AnswerNumber) -> str:
    review = one.traced.review
    return review.reason.rstrip(".") if review is not None and review.reason else "found wrong"
