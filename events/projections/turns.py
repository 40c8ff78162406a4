"""The turns, and what each cost."""

from events.projections.registers import Column, Count, Last, Table, View, column, const, field, stream_key

__all__ = ["TURNS", "TURN_STATE", "UNFINISHED_CHATS"]

TURN_STATE = Table(
    "turn_state",
    "turn_id",
    "UUID",
    column("turn_id"),
    {
        "chat_id": Column("VARCHAR", Last({"TurnStarted": stream_key, "TurnFinished": stream_key})),
        "message_id": Column("UUID", Last({"TurnStarted": column("message_id")})),
        "model": Column("VARCHAR", Last({"TurnStarted": field("model")})),
        "started_at": Column("TIMESTAMP", Last({"TurnStarted": column("occurred_at")})),
        "finished_at": Column("TIMESTAMP", Last({"TurnFinished": column("occurred_at")})),
        "reason": Column("VARCHAR", Last({"TurnStarted": const(None), "TurnFinished": field("reason")})),
        "problem": Column("VARCHAR", Last({"TurnFinished": field("message")})),
        "tokens_in": Column("BIGINT", Last({"TurnFinished": field("tokens_in", "BIGINT")})),
        "tokens_out": Column("BIGINT", Last({"TurnFinished": field("tokens_out", "BIGINT")})),
        "seconds": Column("DOUBLE", Last({"TurnFinished": field("seconds", "DOUBLE")})),
        "steps": Column("BIGINT", Count(("StepStarted",))),
    },
)

TURNS = View("turns", "SELECT * FROM turn_state", "turn_id")

UNFINISHED_CHATS = """
SELECT DISTINCT chat_id FROM (
  SELECT chat_id FROM turn_state WHERE finished_at IS NULL
  UNION ALL SELECT chat_id FROM call_state WHERE finished_position IS NULL
) WHERE chat_id IS NOT NULL ORDER BY 1
"""
"""The chats in which a turn or a call has not ended."""
