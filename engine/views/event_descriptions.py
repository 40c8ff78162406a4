"""Describes each event of a chat with the lane and the sentence declared in its class. Pure."""

from events.catalog.event_types import EVENT_TYPES
from events.declarations import LANES, Lane
from events.event import ChatEvent, Event

__all__ = ["LANES", "Lane", "lane_of", "what_happened"]


def lane_of(event_type: str) -> Lane:
    """Return the lane of an event's type; unknown types are in the lane `choices`."""
    known = EVENT_TYPES.get(event_type)
    return known.history.lane if known is not None and issubclass(known, ChatEvent) else "choices"


def what_happened(event: Event) -> str:
    """Describe an event of a chat in one sentence."""
    return event.sentence()
