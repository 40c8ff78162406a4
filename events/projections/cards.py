"""The user's choices for cards: how tables are shown, and which results a rewind hid."""

from events.projections.views import chat_of, events_view, flag, json_value, log_column, text

__all__ = ["RESULTS_PUT_ASIDE", "TABLE_VIEWS"]

TABLE_VIEWS = events_view(
    "table_views",
    "TableViewSet",
    {
        "chat_id": chat_of,
        "call_id": log_column("call_id"),
        "path": text("path"),
        "shown": json_value("shown"),
        "hidden": json_value("hidden"),
        "names": json_value("names"),
        "numbers": text("numbers"),
        "formats": json_value("formats"),
        "totals": flag("totals"),
        "colours": flag("colours"),
        "whole_row": flag("whole_row"),
        "sort_by": text("sort_by"),
        "descending": flag("descending"),
        "find": text("find"),
        "position": log_column("position"),
    },
)
"""The user's choices of how cards show tables. The last choice for a table applies."""

RESULTS_PUT_ASIDE = events_view(
    "results_put_aside",
    "ResultPutAside",
    {
        "chat_id": chat_of,
        "call_id": log_column("call_id"),
        "aside": flag("aside"),
        "position": log_column("position"),
    },
)
"""The user's own results that a rewind hid, or showed again (`aside` is false)."""
