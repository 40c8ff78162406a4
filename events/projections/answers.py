"""The numbers in answers that the user confirmed, and the reviews of answers."""

from events.projections.views import chat_of, events_view, flag, json_value, log_column, number, text

__all__ = ["NUMBER_REVIEWS", "VOUCHED_NUMBERS"]

VOUCHED_NUMBERS = events_view(
    "vouched_numbers",
    "NumberVouched",
    {
        "chat_id": chat_of,
        "message_id": log_column("message_id"),
        "start": number("start"),
        "number": text("text"),
        "vouched": flag("vouched"),
        "call_id": log_column("call_id"),
        "result": text("result"),
        "row": number("row"),
        "column_name": text("column"),
        "position": log_column("position"),
    },
)
"""The numbers in answers that the user confirmed. `vouched` is false if the user withdrew the confirmation."""

NUMBER_REVIEWS = events_view(
    "number_reviews",
    "NumbersReviewed",
    {
        "chat_id": chat_of,
        "message_id": log_column("message_id"),
        "model": text("model"),
        "request": json_value("request"),
        "reply": json_value("reply"),
        "numbers": json_value("numbers"),
        "problem": text("problem"),
        "tokens_in": number("tokens_in"),
        "tokens_out": number("tokens_out"),
        "seconds": number("seconds", "DOUBLE"),
        "position": log_column("position"),
    },
)
"""The reviews of the numbers in answers and drafts."""
