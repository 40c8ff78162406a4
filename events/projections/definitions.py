"""The user's definitions: the current ones, and every version."""

from events.projections.fields import column, const, field
from events.projections.registers import Column, Last, Table, View
from events.projections.views import Value, chat_of, events_view, log_column, number, text

__all__ = ["DEFINITIONS", "DEFINITION_STATE", "DEFINITION_VERSIONS", "STEP_DEFINITIONS"]

_CHAT = "CASE WHEN starts_with({0}stream, 'chat-') THEN substr({0}stream, 6) END AS chat_id"

DEFINITION_STATE = Table(
    "definition_state",
    "definition_id",
    "VARCHAR",
    field("definition_id"),
    {
        "position": Column(
            "BIGINT", Last({"DefinitionSet": column("position"), "DefinitionForgotten": const(None)})
        ),
    },
)

DEFINITIONS = View(
    "definitions",
    f"""
    SELECT d.definition_id, {_CHAT.format("e.")}, e.payload->>'$.term' AS term,
           e.payload->>'$.meaning' AS meaning, CAST(e.payload->>'$.version' AS BIGINT) AS version,
           e.occurred_at AS set_at, e.call_id, e.payload->>'$.from_chat_id' AS from_chat_id
    FROM definition_state d JOIN event_log e ON e.position = d.position
    """,
    "definition_id",
)
"""The user's current definitions. `chat_id` is null for a definition that applies to all chats."""

DEFINITION_VERSIONS = events_view(
    "definition_versions",
    "DefinitionSet",
    {
        "definition_id": text("definition_id"),
        "version": number("version"),
        "chat_id": Value(
            "CASE WHEN starts_with({0}stream, 'chat-') THEN substr({0}stream, 6) END",
            lambda event: event.stream[5:] if event.stream.startswith("chat-") else None,
        ),
        "term": text("term"),
        "meaning": text("meaning"),
        "set_at": log_column("occurred_at"),
        "call_id": log_column("call_id"),
        "from_chat_id": text("from_chat_id"),
        "position": log_column("position"),
    },
)
"""Every version of every definition, including forgotten ones. `chat_id` is null for a definition for all chats."""

STEP_DEFINITIONS = events_view(
    "step_definitions",
    "StepStarted",
    {
        "chat_id": chat_of,
        "turn_id": log_column("turn_id"),
        "definitions": text("definitions"),
        "position": log_column("position"),
    },
)
"""The definitions in each request to a model, as JSON text. Most requests of a chat contain the same ones, so a
reader decodes each text only once.
"""
