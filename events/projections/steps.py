"""The requests to models, read from every version of their event; the summaries that shorten these requests."""

from events.projections.fields import of_types
from events.projections.registers import View
from events.projections.views import chat_of, events_view, json_value, log_column, number, text, uuid_of
from events.stored_row import ID_COLUMNS
from events.upcasters import current_events_sql

__all__ = ["COMPACTIONS", "CURRENT_EVENTS", "DATA_PARTS", "LOG_COLUMNS", "STEPS"]

LOG_COLUMNS = ("position", "stream", "type", "schema_version", "occurred_at", *ID_COLUMNS, "payload")
"""The columns of the log that read models use."""

CURRENT_EVENTS = View("current_events", current_events_sql(LOG_COLUMNS), "position")
"""The log with each event in its current version, for read models that use fields which an upcaster changed."""

STEPS = View(
    "steps",
    f"""
    SELECT turn_id, CAST(payload->>'$.step' AS BIGINT) AS step, substr(stream, 6) AS chat_id, message_id,
           CAST(payload->>'$.compaction_id' AS UUID) AS compaction_id, payload->>'$.model' AS model,
           coalesce(CAST(payload->>'$.may_call' AS BOOLEAN), true) AS may_call,
           payload->>'$.system.sha256' AS system_sha256, payload->>'$.tools.sha256' AS tools_sha256,
           payload->>'$.data.sha256' AS data_sha256, payload->>'$.request_sha256' AS request_sha256,
           occurred_at AS started_at, position
    FROM current_events WHERE {of_types("StepStarted")}
    """,
    "position",
)
"""The requests to models."""

DATA_PARTS = events_view(
    "data_parts",
    "StepStarted",
    {
        "chat_id": chat_of,
        "message_id": log_column("message_id"),
        "data": json_value("data"),
        "position": log_column("position"),
    },
)
"""The text that each request added to its newest message, as a reference to its content; null if it added nothing."""

COMPACTIONS = events_view(
    "compactions",
    "ContextCompacted",
    {
        "compaction_id": uuid_of("compaction_id"),
        "chat_id": chat_of,
        "turn_id": log_column("turn_id"),
        "through_id": uuid_of("through_id"),
        "message_id": log_column("message_id"),
        "summary": json_value("summary"),
        "written_by": text("written_by"),
        "reason": text("reason"),
        "window_tokens": number("window"),
        "model": text("model"),
        "messages": number("messages"),
        "tokens_before": number("tokens_before"),
        "tokens_in": number("tokens_in"),
        "tokens_out": number("tokens_out"),
        "seconds": number("seconds", "DOUBLE"),
        "problem": text("problem"),
        "created_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""The summaries that replace earlier messages in requests to models."""
