"""The tool calls: how each stands, and with its arguments, result and render plan out of the log."""

from events.projections.registers import Column, Last, Table, View, column, const, field, stream_key

__all__ = ["CALL_STATE", "TOOL_CALLS"]

CALL_STATE = Table(
    "call_state",
    "call_id",
    "UUID",
    column("call_id"),
    {
        "chat_id": Column("VARCHAR", Last({"ToolCallRequested": stream_key})),
        "message_id": Column("UUID", Last({"ToolCallRequested": column("message_id")})),
        "turn_id": Column("UUID", Last({"ToolCallRequested": column("turn_id")})),
        "tool_id": Column("VARCHAR", Last({"ToolCallRequested": field("tool_id")})),
        "requested_position": Column("BIGINT", Last({"ToolCallRequested": column("position")})),
        "arguments_position": Column(
            "BIGINT", Last({"ToolCallRequested": column("position"), "ToolCallApproved": column("position")})
        ),
        "finished_position": Column("BIGINT", Last({"ToolCallFinished": column("position")})),
        "waits": Column(
            "BOOLEAN",
            Last(
                {
                    "ToolCallRequested": field("needs_confirmation", "BOOLEAN"),
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
                    "ToolCallFinished": field("status"),
                }
            ),
        ),
        "started_at": Column("TIMESTAMP", Last({"ToolCallStarted": column("occurred_at")})),
        "finished_at": Column("TIMESTAMP", Last({"ToolCallFinished": column("occurred_at")})),
        "pre_manifest_id": Column("UUID", Last({"ToolCallStarted": field("pre_manifest_id", "UUID")})),
        "post_manifest_id": Column("UUID", Last({"ToolCallFinished": field("post_manifest_id", "UUID")})),
        "content_hash": Column("VARCHAR", Last({"ToolCallStarted": field("content_hash")})),
        "toolset_version": Column("VARCHAR", Last({"ToolCallStarted": field("toolset_version")})),
    },
)

TOOL_CALLS = View(
    "tool_calls",
    """
    SELECT c.call_id AS id, c.chat_id, c.message_id, c.turn_id, c.tool_id,
           coalesce(a.payload->'$.arguments.value', a.payload->'$.arguments') AS args,
           coalesce(f.payload->'$.result.value', nullif(f.payload->'$.result', 'null')) AS result,
           coalesce(f.payload->'$.render_plan.value', nullif(f.payload->'$.render_plan', 'null')) AS render_plan,
           CASE WHEN c.status = 'pending' AND c.waits THEN 'awaiting_confirmation' ELSE c.status END AS status,
           nullif(f.payload->'$.error', 'null') AS error,
           r.payload->>'$.commentary' AS commentary, c.started_at, c.finished_at,
           c.pre_manifest_id, c.post_manifest_id, c.toolset_version, c.content_hash, c.requested_position AS position
    FROM call_state c
    LEFT JOIN event_log r ON r.position = c.requested_position
    LEFT JOIN event_log a ON a.position = c.arguments_position
    LEFT JOIN event_log f ON f.position = c.finished_position
    """,
    "id",
)
