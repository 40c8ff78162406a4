"""The numbers in answers that the user confirmed."""

from events.projections.views import chat_of, events_view, flag, log_column, number, text

__all__ = ["VOUCHED_NUMBERS"]

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
