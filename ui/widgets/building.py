"""Records whether the query builder is open in place of the composer. Importing the builder would load the analyst."""

from collections.abc import Callable, Mapping

from events.json_value import JSON
from ui import session

__all__ = ["OnAskForm", "builds_query", "start_building"]

OnAskForm = Callable[[str, Mapping[str, JSON]], None]
"""Gets the sentence and the form of a query that was built."""


def builds_query(chat_id: str | None) -> bool:
    """Return whether the builder is open."""
    return bool(session.remembered(f"building-{chat_id}"))


def start_building(chat_id: str | None) -> None:
    """Open the builder."""
    session.remember(f"building-{chat_id}", True)
