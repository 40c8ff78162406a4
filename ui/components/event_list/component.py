"""The events of a chat as a list of any length; clicking one goes to that moment."""

from collections.abc import Callable, Sequence

from events.event_summaries import EventSummary
from ui import session
from ui.components.assets import component
from ui.components.history_bar.component import packed

__all__ = ["event_list"]

_mount = component("event_list")


def event_list(ticks: Sequence[EventSummary], at: int, *, key: str, on_move: Callable[[int], None]) -> None:
    """Draw the event list with the event at position `at` chosen; `on_move` gets the position of a clicked event."""
    _mount(
        key=key,
        data={**packed(ticks), "at": at},
        on_moved_change=lambda: on_move(int(session.widget_value(key).moved or at)),
    )
