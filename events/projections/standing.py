"""The pinned answers of all chats, and every check of them."""

from events.projections.fields import column, const, field
from events.projections.registers import Column, Last, Table, View
from events.projections.views import chat_of, events_view, json_value, log_column, number, text

__all__ = ["PIN_STATE", "STANDING_CHECKS", "STANDING_QUESTIONS"]

PIN_STATE = Table(
    "pin_state",
    "pin_id",
    "VARCHAR",
    field("pin_id"),
    {
        "position": Column(
            "BIGINT", Last({"AnswerPinned": column("position"), "AnswerUnpinned": const(None)})
        ),
        "trigger": Column(
            "VARCHAR", Last({"AnswerPinned": field("trigger"), "TriggerChosen": field("trigger")})
        ),
        "good": Column("VARCHAR", Last({"DirectionChosen": field("good")})),
        "started_check": Column("VARCHAR", Last({"StandingQuestionCheckStarted": field("check_id")})),
        "started_at": Column("TIMESTAMP", Last({"StandingQuestionCheckStarted": column("occurred_at")})),
        "seen_check": Column("VARCHAR", Last({"StandingQuestionSeen": field("check_id")})),
        "seen_at": Column("TIMESTAMP", Last({"StandingQuestionSeen": column("occurred_at")})),
    },
)

STANDING_QUESTIONS = View(
    "standing_questions",
    """
    SELECT p.pin_id, substr(e.stream, 6) AS chat_id, e.message_id, p.trigger, p.good,
           nullif(e.payload->'$.value', 'null') AS value, e.payload->'$.files' AS files,
           p.started_check, p.started_at, p.seen_check, p.seen_at, e.occurred_at AS pinned_at, e.position
    FROM pin_state p JOIN event_log e ON e.position = p.position
    """,
    "position",
)
"""The pinned answers of all chats."""

STANDING_CHECKS = events_view(
    "standing_checks",
    "StandingQuestionChecked",
    {
        "check_id": text("check_id"),
        "pin_id": text("pin_id"),
        "chat_id": chat_of,
        "verdict": text("verdict"),
        "before": json_value("before"),
        "after": json_value("after"),
        "calls": number("calls"),
        "moved": number("moved"),
        "message_id": log_column("message_id"),
        "why": text("why"),
        "fix": text("fix"),
        "path": text("path"),
        "files": json_value("files"),
        "seconds": number("seconds", "DOUBLE"),
        "checked_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""Every finished check of a pinned answer, with its verdict and the values before and after."""
