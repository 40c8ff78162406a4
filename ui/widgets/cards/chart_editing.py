"""The chart editors that are open in this tab: the draft of each, and the values of its controls."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.views.chart_versions import CHART
from ui import session
from ui.widgets.cards.chart_draft import Draft, Editing
from ui.widgets.cards.chart_held import Held
from ui.widgets.show_as import known_tool

__all__ = [
    "Edited",
    "begin_editing",
    "can_edit",
    "change_editing",
    "editing_of",
    "end_editing",
    "held_of",
    "is_editing",
    "take_choices",
    "then_changed",
]


@dataclass(frozen=True, slots=True)
class Edited:
    """The card whose chart is edited."""

    chat_id: str
    call_id: str
    """The call from which a saved chart is made."""
    key: str


def can_edit() -> bool:
    """Return whether the user can draw charts now: not in a past state, and only if the drawing tool is available."""
    tool = known_tool(CHART)
    return tool is not None and tool.available and not session.looks_back()


def is_editing(edited: Edited) -> bool:
    """Return whether the editor of a card is open."""
    return editing_of(edited) is not None and can_edit()


def begin_editing(edited: Edited, start: Draft) -> None:
    """Open the editor of a card."""
    opened = session.remembered("chart-editors", 0) + 1
    session.remember("chart-editors", opened)
    session.remember(_held(edited), Held(f"{edited.key}-{opened}"))
    session.remember(_state(edited), Editing(start, start))


def editing_of(edited: Edited) -> Editing | None:
    """Return the draft in the editor of a card with its earlier states; None if the editor is not open."""
    editing: Editing | None = session.remembered(_state(edited))
    return editing


def held_of(edited: Edited) -> Held | None:
    """Return the values of the controls of a card's editor; None if the editor is not open."""
    held: Held | None = session.remembered(_held(edited))
    return held


def change_editing(edited: Edited, by: Callable[[Editing], Editing]) -> None:
    """Change the current draft; do nothing if the editor was closed."""
    now = editing_of(edited)
    if now is not None:
        session.remember(_state(edited), by(now))


def then_changed(edited: Edited, by: Callable[[Editing], Editing]) -> Callable[[], None]:
    """Return a button's callback that changes the draft, including choices made just before the click."""

    def act() -> None:
        take_choices(edited)
        change_editing(edited, by)

    return act


def take_choices(edited: Edited) -> None:
    """Apply the values of the controls to the draft. A choice and the click after it may arrive together."""
    held = held_of(edited)
    if held is not None:
        held.take_all()


def end_editing(edited: Edited) -> None:
    """Close the editor."""
    session.clear(_state(edited))
    session.clear(_held(edited))


def _state(edited: Edited) -> str:
    return f"chart-editing-{edited.key}"


def _held(edited: Edited) -> str:
    return f"chart-held-{edited.key}"
