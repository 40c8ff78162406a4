"""The tool calls with their status, and with arguments, result and render plan from the log."""

from collections.abc import Mapping
from typing import Any

from events.projections.decoded_event import DecodedEvent
from events.projections.fields import column, const, stream_key
from events.projections.registers import Column, Last, Table
from events.projections.views import (
    Derived,
    Of,
    json_value,
    kept_value,
    log_column,
    state_view,
    text,
    truth,
    uuid_of,
)
from events.statuses import call_status

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


def _status(call: Mapping[str, Any], events: Mapping[str, DecodedEvent | None]) -> Any:
    """Return the same status as the SQL of the column; a test compares both at every step of a call."""
    ended, asked = events["f"], events["r"]
    return call_status(
        asks=asked is not None and truth(asked.payload.get("needs_confirmation")),
        approved=not call["unanswered"],
        denied=call["status"] == "denied",
        started=call["status"] == "running",
        ended=ended.payload.get("status") if call["status"] == "finished" and ended is not None else None,
    )


TOOL_CALLS = state_view(
    "tool_calls",
    CALL_STATE,
    {
        "r": "requested_position",
        "a": "arguments_position",
        "s": "started_position",
        "f": "finished_position",
    },
    {
        "id": "call_id",
        "chat_id": "chat_id",
        "message_id": Of("r", log_column("message_id")),
        "turn_id": Of("r", log_column("turn_id")),
        "tool_id": Of("r", text("tool_id")),
        "args": Of("a", kept_value("arguments")),
        "result": Of("f", kept_value("result")),
        "render_plan": Of("f", kept_value("render_plan")),
        "status": Derived(
            "CASE WHEN t.status = 'finished' THEN f.payload->>'$.status' "
            "WHEN t.status = 'pending' AND t.unanswered AND CAST(r.payload->>'$.needs_confirmation' AS BOOLEAN) "
            "THEN 'awaiting_confirmation' ELSE t.status END",
            _status,
        ),
        "error": Of("f", json_value("error")),
        "files_with_secrets": Of("f", json_value("files_with_secrets")),
        "note": Of("f", text("note")),
        "commentary": Of("r", text("commentary")),
        "from_call_id": Of("r", text("from_call_id")),
        "sends_to": Of("r", text("sends_to")),
        "started_at": Of("s", log_column("occurred_at")),
        "finished_at": Of("f", log_column("occurred_at")),
        "pre_manifest_id": Of("s", uuid_of("pre_manifest_id")),
        "post_manifest_id": Of("f", uuid_of("post_manifest_id")),
        "toolset_version": Of("s", text("toolset_version")),
        "content_hash": Of("s", text("content_hash")),
        "position": "requested_position",
    },
    "id",
)
"""The tool calls, with their status, arguments, result and render plan."""

CHAT_OF_CALL = "SELECT chat_id FROM call_state WHERE call_id = TRY_CAST(? AS UUID)"
"""Selects the chat of the call whose id is the parameter."""
