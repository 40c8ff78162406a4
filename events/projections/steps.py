"""The requests to models, whatever version of the event recorded them, and the summaries that keep them short."""

from events.projections.registers import View, of_types
from events.stored_row import ID_COLUMNS
from events.upcasters import current_events_sql

__all__ = ["COMPACTIONS", "CURRENT_EVENTS", "LOG_COLUMNS", "STEPS"]

LOG_COLUMNS = ("position", "stream", "type", "schema_version", "occurred_at", *ID_COLUMNS, "payload")
"""The columns of the log that read models use."""

CURRENT_EVENTS = View("current_events", current_events_sql(LOG_COLUMNS), "position")
"""The log with each event in its present version: for read models that read what an upcaster converts."""

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

COMPACTIONS = View(
    "compactions",
    f"""
    SELECT CAST(payload->>'$.compaction_id' AS UUID) AS compaction_id, substr(stream, 6) AS chat_id, turn_id,
           CAST(payload->>'$.through_id' AS UUID) AS through_id, message_id, payload->'$.summary' AS summary,
           payload->>'$.written_by' AS written_by, payload->>'$.reason' AS reason,
           CAST(payload->>'$.window' AS BIGINT) AS window_tokens, payload->>'$.model' AS model,
           CAST(payload->>'$.messages' AS BIGINT) AS messages,
           CAST(payload->>'$.tokens_before' AS BIGINT) AS tokens_before,
           CAST(payload->>'$.tokens_in' AS BIGINT) AS tokens_in, CAST(payload->>'$.tokens_out' AS BIGINT) AS tokens_out,
           CAST(payload->>'$.seconds' AS DOUBLE) AS seconds, payload->>'$.problem' AS problem,
           occurred_at AS created_at, position
    FROM event_log WHERE {of_types("ContextCompacted")}
    """,
    "position",
)
