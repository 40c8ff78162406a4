"""The user's definitions: those in force, and every version. `chat_id` is null if one holds in all chats."""

from events.projections.registers import Column, Last, Table, View, column, const, field, of_types

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

DEFINITION_VERSIONS = View(
    "definition_versions",
    f"""
    SELECT payload->>'$.definition_id' AS definition_id, CAST(payload->>'$.version' AS BIGINT) AS version,
           {_CHAT.format("")}, payload->>'$.term' AS term, payload->>'$.meaning' AS meaning,
           occurred_at AS set_at, call_id, payload->>'$.from_chat_id' AS from_chat_id, position
    FROM event_log WHERE {of_types("DefinitionSet")}
    """,
    "position",
)

STEP_DEFINITIONS = View(
    "step_definitions",
    f"""
    SELECT substr(stream, 6) AS chat_id, CAST(turn_id AS VARCHAR) AS turn_id,
           CAST(payload->'$.definitions' AS VARCHAR) AS definitions, position
    FROM event_log WHERE {of_types("StepStarted")}
    """,
    "position",
)
"""As text: most steps of a chat have the same definitions, and a reader decodes each text once."""
