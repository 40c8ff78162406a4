"""The chats, with their current message and choices."""

from events.projections.fields import column, const, field, of_types, stream_key
from events.projections.registers import Column, Count, Last, Table
from events.projections.turns import END_REASON, RUNNING_TURN
from events.projections.views import Derived, Of, json_value, state_view

__all__ = ["CHATS", "CHAT_STATE", "LAST_SELECTION"]

_ANYTHING = (
    "ChatCreated",
    "ChatRenamed",
    "ChatForked",
    "ChatDeleted",
    "ChatRestored",
    "ToolsSelected",
    "ModelSelected",
    "DepthSelected",
    "LeafSelected",
    "MessageAdded",
    "ManifestRecorded",
    "TurnStarted",
    "TurnResumed",
    "TurnFinished",
)

CHAT_STATE = Table(
    "chat_state",
    "chat_id",
    "VARCHAR",
    stream_key,
    {
        "title": Column("VARCHAR", Last({"ChatCreated": field("title"), "ChatRenamed": field("title")})),
        "created_at": Column("TIMESTAMP", Last({"ChatCreated": column("occurred_at")})),
        "updated_at": Column("TIMESTAMP", Last(dict.fromkeys(_ANYTHING, column("occurred_at")))),
        "deleted_at": Column(
            "TIMESTAMP", Last({"ChatDeleted": column("occurred_at"), "ChatRestored": const(None)})
        ),
        "archived_at": Column(
            "TIMESTAMP", Last({"ChatArchived": column("occurred_at"), "ChatUnarchived": const(None)})
        ),
        "model": Column("VARCHAR", Last({"ModelSelected": field("model")})),
        "base_url": Column("VARCHAR", Last({"ModelSelected": field("base_url")})),
        "depth": Column("VARCHAR", Last({"DepthSelected": field("depth")})),
        "selection_position": Column(
            "BIGINT", Last({"ToolsSelected": column("position"), "ToolsAdded": column("position")})
        ),
        "active_leaf_message_id": Column(
            "UUID",
            Last(
                {"MessageAdded": column("message_id"), "LeafSelected": column("message_id")},
                where={"MessageAdded": "becomes_leaf"},
            ),
        ),
        "active_manifest_id": Column(
            "UUID",
            Last(
                {"ManifestRecorded": column("manifest_id"), "LeafSelected": column("manifest_id")},
                where={"ManifestRecorded": "active"},
            ),
        ),
        "running_turn_id": Column("UUID", RUNNING_TURN),
        "ended_as": Column("VARCHAR", END_REASON),
        "queued_id": Column(
            "VARCHAR", Last({"QuestionQueued": field("queued_id"), "QuestionUnqueued": const(None)})
        ),
        "queued": Column("BIGINT", Count(("QuestionQueued",))),
        "unqueued": Column("BIGINT", Count(("QuestionUnqueued",))),
        "message_count": Column("BIGINT", Count(("MessageAdded",))),
        "origin_chat_id": Column("VARCHAR", Last({"ChatForked": field("origin_chat_id")})),
        "origin_message_id": Column("UUID", Last({"ChatForked": field("origin_message_id", "UUID")})),
    },
)

CHATS = state_view(
    "chats",
    CHAT_STATE,
    {"s": "selection_position"},
    {
        "chat_id": "chat_id",
        "title": "title",
        "created_at": "created_at",
        "updated_at": "updated_at",
        "deleted_at": "deleted_at",
        "archived_at": "archived_at",
        "model": "model",
        "base_url": "base_url",
        "depth": Derived("coalesce(t.depth, 'quick')", lambda chat, _: chat["depth"] or "quick"),
        "selection": Of("s", json_value("selection")),
        "selection_position": "selection_position",
        "active_leaf_message_id": "active_leaf_message_id",
        "active_manifest_id": "active_manifest_id",
        "running_turn_id": "running_turn_id",
        "ended_as": "ended_as",
        "queued_id": "queued_id",
        "waiting": Derived(
            "t.queued - t.unqueued", lambda chat, _: int(chat["queued"]) - int(chat["unqueued"])
        ),
        "message_count": "message_count",
        "origin_chat_id": "origin_chat_id",
        "origin_message_id": "origin_message_id",
    },
    "chat_id",
)
"""All chats, including deleted ones, with their current message and choices."""

LAST_SELECTION = (
    f"SELECT payload->'$.selection' FROM event_log WHERE {of_types('ToolsSelected', 'ToolsAdded')} "
    "ORDER BY position DESC LIMIT 1"
)
"""The tools that were last selected in any chat."""
