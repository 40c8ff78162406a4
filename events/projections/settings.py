"""The settings that differ from their defaults."""

from events.projections.fields import column, field
from events.projections.registers import Column, Last, Table, View

__all__ = ["SETTINGS", "SETTING_STATE"]

SETTING_STATE = Table(
    "setting_state",
    "name",
    "VARCHAR",
    field("name"),
    {"position": Column("BIGINT", Last({"SettingChanged": column("position")}))},
)

SETTINGS = View(
    "settings",
    """
    SELECT s.name, e.payload->'$.value' AS value, e.occurred_at AS changed_at
    FROM setting_state s JOIN event_log e ON e.position = s.position AND e.type = 'SettingChanged'
    WHERE e.payload->>'$.value' IS NOT NULL
    """,
    "name",
)
"""The settings that differ from their defaults."""
