"""The tool calls: how each stands, and with its arguments, result and render plan out of the log."""

from events.projections.registers import Column, Last, Table, View, column, const, stream_key

__all__ = ["CALL_STATE", "CHAT_OF_CALL", "TOOL_CALLS"]

CALL_STATE = Table(
    "call_state",
    "call_id",
    "UUID",
    column("call_id"),
    {
        "chat_id": Column("VARCHAR", Last({"ToolCallRequested": stream_key})),
        "requested_position": Column("BIGINT", Last({"ToolCallRequested": column("position")})),
        "arguments_position": Column(
            "BIGINT", Last({"ToolCallRequested": column("position"), "ToolCallApproved": column("position")})
        ),
        "started_position": Column("BIGINT", Last({"ToolCallStarted": column("position")})),
        "finished_position": Column("BIGINT", Last({"ToolCallFinished": column("position")})),
        "unanswered": Column(
            "BOOLEAN",
            Last(
                {
                    "ToolCallRequested": const(True),
                    "ToolCallApproved": const(False),
                    "ToolCallDenied": const(False),
                }
            ),
        ),
        "status": Column(
            "VARCHAR",
            Last(
                {
                    "ToolCallRequested": const("pending"),
                    "ToolCallApproved": const("pending"),
                    "ToolCallDenied": const("denied"),
                    "ToolCallStarted": const("running"),
                    "ToolCallFinished": const("finished"),
                }
            ),
        ),
    },
)

TOOL_CALLS = View(
    "tool_calls",
    """
    SELECT c.call_id AS id, c.chat_id, r.message_id, r.turn_id, r.payload->>'$.tool_id' AS tool_id,
           coalesce(a.payload->'$.arguments.value', a.payload->'$.arguments') AS args,
           coalesce(f.payload->'$.result.value', nullif(f.payload->'$.result', 'null')) AS result,
           coalesce(f.payload->'$.render_plan.value', nullif(f.payload->'$.render_plan', 'null')) AS render_plan,
           CASE WHEN c.status = 'finished' THEN f.payload->>'$.status'
                WHEN c.status = 'pending' AND c.unanswered AND CAST(r.payload->>'$.needs_confirmation' AS BOOLEAN)
                THEN 'awaiting_confirmation'
                ELSE c.status END AS status,
           nullif(f.payload->'$.error', 'null') AS error,
           f.payload->'$.files_with_secrets' AS files_with_secrets, f.payload->>'$.note' AS note,
           r.payload->>'$.commentary' AS commentary,
           r.payload->>'$.from_call_id' AS from_call_id, r.payload->>'$.sends_to' AS sends_to,
           s.occurred_at AS started_at, f.occurred_at AS finished_at,
           CAST(s.payload->>'$.pre_manifest_id' AS UUID) AS pre_manifest_id,
           CAST(f.payload->>'$.post_manifest_id' AS UUID) AS post_manifest_id,
           s.payload->>'$.toolset_version' AS toolset_version, s.payload->>'$.content_hash' AS content_hash,
           c.requested_position AS position
    FROM call_state c
    LEFT JOIN event_log r ON r.position = c.requested_position
    LEFT JOIN event_log a ON a.position = c.arguments_position
    LEFT JOIN event_log s ON s.position = c.started_position
    LEFT JOIN event_log f ON f.position = c.finished_position
    """,
    "id",
)

CHAT_OF_CALL = "SELECT chat_id FROM call_state WHERE call_id = TRY_CAST(? AS UUID)"
"""The chat of the call whose id is the parameter."""
