"""The re-runs of recorded calls, with and without changed inputs, and the outcome of each call."""

from events.projections.views import chat_of, events_view, flag, json_value, log_column, number, text

__all__ = ["REPLAYS", "RERUNS", "RERUN_STARTS"]

REPLAYS = events_view(
    "replays",
    "ReplayFinished",
    {
        "replay_id": text("replay_id"),
        "chat_id": chat_of,
        "message_id": log_column("message_id"),
        "calls": json_value("calls"),
        "asked": number("asked"),
        "live": flag("live"),
        "seconds": number("seconds", "DOUBLE"),
        "created_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""The finished re-runs of recorded calls with their original files and tools, and the outcome of each call."""

RERUNS = events_view(
    "reruns",
    "RerunFinished",
    {
        "rerun_id": text("rerun_id"),
        "chat_id": chat_of,
        "message_id": log_column("message_id"),
        "from_message_id": text("from_message_id"),
        "changed": text("changed"),
        "calls": json_value("calls"),
        "seconds": number("seconds", "DOUBLE"),
        "created_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""The finished re-runs with a changed call or other files, and the outcome of each call."""

RERUN_STARTS = events_view(
    "rerun_starts",
    "RerunStarted",
    {
        "rerun_id": text("rerun_id"),
        "chat_id": chat_of,
        "message_id": log_column("message_id"),
        "call_id": log_column("call_id"),
        "arguments": json_value("arguments"),
        "files": json_value("files"),
        "matched_columns": json_value("columns"),
        "brought": json_value("brought"),
        "live": flag("live"),
        "asked": number("asked"),
        "created_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""All started re-runs with a changed call or other files, whether or not they finished."""
