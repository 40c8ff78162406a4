"""The turns and their costs."""

from collections.abc import Mapping
from typing import Any

from events.projections.decoded_event import DecodedEvent
from events.projections.fields import column, const, field, stream_key
from events.projections.registers import Column, Count, Last, Table
from events.projections.views import Derived, Of, log_column, number, state_view, text, truth
from events.statuses import TURN_RUNS

__all__ = ["END_REASON", "RUNNING_TURN", "TURNS", "TURN_STATE", "UNFINISHED_CHATS"]

END_REASON = Last({kind: const(None) if runs else field("reason") for kind, runs in TURN_RUNS.items()})
"""Why a turn ended, or waits; NULL while it runs."""

RUNNING_TURN = Last({kind: column("turn_id") if runs else const(None) for kind, runs in TURN_RUNS.items()})
"""The turn that runs."""

TURN_STATE = Table(
    "turn_state",
    "turn_id",
    "UUID",
    column("turn_id"),
    {
        "chat_id": Column("VARCHAR", Last({"TurnStarted": stream_key, "TurnFinished": stream_key})),
        "started_position": Column("BIGINT", Last({"TurnStarted": column("position")})),
        "finished_position": Column("BIGINT", Last({"TurnFinished": column("position")})),
        "reason": Column("VARCHAR", END_REASON),
        "steps": Column("BIGINT", Count(("StepStarted",))),
    },
)


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
        "reason": "reason",
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
  WHERE reason IS NULL
  UNION ALL SELECT chat_id FROM call_state WHERE finished_position IS NULL
) WHERE chat_id IS NOT NULL ORDER BY 1
"""
"""Selects the chats in which a turn or a call has not ended."""
