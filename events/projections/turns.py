"""The turns and their costs."""

from collections.abc import Mapping
from typing import Any

from events.projections.decoded_event import DecodedEvent
from events.projections.fields import column, stream_key
from events.projections.registers import Column, Count, Last, Table
from events.projections.views import Derived, Of, log_column, number, state_view, text, truth

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


def _reason(turn: Mapping[str, Any], events: Mapping[str, DecodedEvent | None]) -> Any:
    """Return how a turn ended; None while it runs or has been resumed."""
    ended = events["f"]
    ends = ended is not None and ended.position > (turn["resumed_position"] or 0)
    return ended.payload.get("reason") if ended is not None and ends else None


def _by_user(_: Mapping[str, Any], events: Mapping[str, DecodedEvent | None]) -> bool:
    started = events["s"]
    return started is not None and truth(started.payload.get("by_user"))


TURNS = state_view(
    "turns",
    TURN_STATE,
    {"s": "started_position", "f": "finished_position"},
    {
        "turn_id": "turn_id",
        "chat_id": "chat_id",
        "message_id": Of("s", log_column("message_id")),
        "model": Of("s", text("model")),
        "by_user": Derived("coalesce(CAST(s.payload->>'$.by_user' AS BOOLEAN), false)", _by_user),
        "started_at": Of("s", log_column("occurred_at")),
        "finished_at": Of("f", log_column("occurred_at")),
        "reason": Derived(
            "CASE WHEN t.finished_position > coalesce(t.resumed_position, 0) THEN f.payload->>'$.reason' END",
            _reason,
        ),
        "problem": Of("f", text("message")),
        "problem_kind": Of("f", text("kind")),
        "retry_after": Of("f", number("retry_after", "DOUBLE")),
        "tokens_in": Of("f", number("tokens_in")),
        "tokens_out": Of("f", number("tokens_out")),
        "seconds": Of("f", number("seconds", "DOUBLE")),
        "steps": "steps",
    },
    "turn_id",
)
"""The turns, with their model, their times and tokens, and the reason why they ended."""

UNFINISHED_CHATS = """
SELECT DISTINCT chat_id FROM (
  SELECT chat_id FROM turn_state
  WHERE finished_position IS NULL OR finished_position < resumed_position
  UNION ALL SELECT chat_id FROM call_state WHERE finished_position IS NULL
) WHERE chat_id IS NOT NULL ORDER BY 1
"""
"""Selects the chats in which a turn or a call has not ended."""
