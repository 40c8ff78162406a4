"""The tree of messages, as it stands in the log."""

from events.projections.registers import View, of_types

__all__ = ["MESSAGES"]

MESSAGES = View(
    "messages",
    f"""
    SELECT message_id, substr(stream, 6) AS chat_id, parent_id, turn_id, payload->>'$.role' AS role,
           payload->'$.parts' AS parts, payload->>'$.finish' AS finish, payload->'$.usage' AS usage,
           CAST(payload->>'$.replaces' AS UUID) AS replaces, occurred_at AS created_at, position
    FROM event_log WHERE {of_types("MessageAdded")}
    """,
    "position",
)
