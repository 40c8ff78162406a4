"""The tree of messages, as recorded in the log."""

from events.projections.views import chat_of, events_view, json_value, log_column, text, uuid_of

__all__ = ["CHAT_OF_MESSAGE", "MESSAGES"]

MESSAGES = events_view(
    "messages",
    "MessageAdded",
    {
        "message_id": log_column("message_id"),
        "chat_id": chat_of,
        "parent_id": log_column("parent_id"),
        "turn_id": log_column("turn_id"),
        "role": text("role"),
        "parts": json_value("parts"),
        "finish": text("finish"),
        "usage": json_value("usage"),
        "replaces": uuid_of("replaces"),
        "created_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""The messages of all chats, as a tree: `parent_id` is the previous message on the branch."""

CHAT_OF_MESSAGE = "SELECT chat_id FROM messages WHERE message_id = TRY_CAST(? AS UUID)"
"""Selects the chat of the message whose id is the parameter."""
