"""The named moments of chats: states of the files that SQL and Python can read by name."""

from events.projections.fields import column, const, field
from events.projections.registers import Column, Last, Table, View

__all__ = ["MOMENTS", "MOMENT_STATE"]

MOMENT_STATE = Table(
    "moment_state",
    "moment_id",
    "VARCHAR",
    field("moment_id"),
    {
        "position": Column(
            "BIGINT", Last({"MomentNamed": column("position"), "MomentForgotten": const(None)})
        ),
    },
)

MOMENTS = View(
    "moments",
    """
    SELECT m.moment_id, substr(e.stream, 6) AS chat_id, e.payload->>'$.name' AS name,
           e.payload->>'$.description' AS description, e.message_id, e.manifest_id, e.call_id,
           e.occurred_at AS named_at, e.position
    FROM moment_state m JOIN event_log e ON e.position = m.position
    """,
    "position",
)
"""The named moments of chats: states of the files that SQL and Python can read by name."""
