"""The locations that may be read in place, and the hashes of their files."""

from events.projections.fields import column, const, field
from events.projections.registers import Column, Last, Table, View
from events.projections.views import events_view, json_value, log_column, text

__all__ = ["ALLOWED_LOCATIONS", "LOCATION_STATE", "PARTS_HASHED"]

LOCATION_STATE = Table(
    "location_state",
    "location",
    "VARCHAR",
    field("location"),
    {
        "allowed_at": Column(
            "TIMESTAMP", Last({"LocationAllowed": column("occurred_at"), "LocationForbidden": const(None)})
        ),
    },
    streams="locations",
)

ALLOWED_LOCATIONS = View(
    "allowed_locations",
    "SELECT location, allowed_at FROM location_state WHERE allowed_at IS NOT NULL",
    "location",
)
"""The locations that chats may read in place."""

PARTS_HASHED = events_view(
    "parts_hashed",
    "PartsHashed",
    {
        "location": text("location"),
        "parts": json_value("parts"),
        "hashed_at": log_column("occurred_at"),
        "position": log_column("position"),
    },
)
"""The linked files that were hashed in the background, with their hashes."""
