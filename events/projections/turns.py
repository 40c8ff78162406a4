"""The turns, and what each cost."""

from events.projections.registers import Column, Count, Last, Table, View, column, stream_key

__all__ = ["TURNS", "TURN_STATE", "UNFINISHED_CHATS"]

TURN_STATE = Table(
    "turn_state",
    "turn_id",
    "UUID",
    column("turn_id"),
    {
        "chat_id": Column("VARCHAR", Last({"TurnStarted": stream_key, "TurnFinished": stream_key})),
        "started_position": Column("BIGINT", Last({"TurnStarted": column("position")})),
        "resumed_position": Column("BIGINT", Last({"TurnResumed": column("position")})),
        "finished_position": Column("BIGINT", Last({"TurnFinished": column("position")})),
        "steps": Column("BIGINT", Count(("StepStarted",))),
    },
)

TURNS = View(
    "turns",
    """
    SELECT t.turn_id, t.chat_id, s.message_id, s.payload->>'$.model' AS model,
           coalesce(CAST(s.payload->>'$.by_user' AS BOOLEAN), false) AS by_user, s.occurred_at AS started_at,
           f.occurred_at AS finished_at,
           CASE WHEN t.finished_position > coalesce(t.resumed_position, 0) THEN f.payload->>'$.reason' END AS reason,
           f.payload->>'$.message' AS problem, f.payload->>'$.kind' AS problem_kind,
           CAST(f.payload->>'$.retry_after' AS DOUBLE) AS retry_after,
           CAST(f.payload->>'$.tokens_in' AS BIGINT) AS tokens_in,
           CAST(f.payload->>'$.tokens_out' AS BIGINT) AS tokens_out,
           CAST(f.payload->>'$.seconds' AS DOUBLE) AS seconds, t.steps
    FROM turn_state t
    LEFT JOIN event_log s ON s.position = t.started_position
    LEFT JOIN event_log f ON f.position = t.finished_position
    """,
    "turn_id",
)

UNFINISHED_CHATS = """
SELECT DISTINCT chat_id FROM (
  SELECT chat_id FROM turn_state
  WHERE finished_position IS NULL OR finished_position < resumed_position
  UNION ALL SELECT chat_id FROM call_state WHERE finished_position IS NULL
) WHERE chat_id IS NOT NULL ORDER BY 1
"""
"""The chats in which a turn or a call has not ended."""
