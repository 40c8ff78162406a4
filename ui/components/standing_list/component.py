"""The standing questions in groups, each with its value, movement and checks, and the page's keyboard shortcuts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ui import session
from ui.acts import once_for
from ui.components.assets import component

__all__ = ["StandingGroup", "StandingItem", "StandingRow", "standing_list"]

_mount = component("standing_list")


@dataclass(frozen=True, slots=True)
class StandingItem:
    """One line of a row's menu."""

    act: str
    text: str
    checked: bool | None = None
    """Whether the line has a check mark; None for a line that never has one."""
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One question, as texts."""

    id: str
    question: str
    where: str
    """The chat, and what triggers a check."""
    value: str
    none: bool
    """Whether there is no single value; `value` then says so."""
    muted: bool
    """Whether the value is from an earlier check, because the last check found no value."""
    tone: str
    """Whether the movement is `good` or `bad`; empty if neither."""
    change: str
    note: str
    """Percentage and period of the movement."""
    points: tuple[float, ...]
    """The values of the small line chart."""
    told: str
    """The text that describes the line chart to screen readers."""
    badge: str
    kind: str
    """The badge's CSS class."""
    running: bool
    when: str
    why: str
    fix: str
    """The label of the button that fixes the problem; empty if there is none."""
    menu: tuple[StandingItem, ...]


@dataclass(frozen=True, slots=True)
class StandingGroup:
    """Rows under one heading."""

    title: str
    rows: tuple[StandingRow, ...]


def standing_list(groups: Sequence[StandingGroup], *, key: str, on_act: Callable[[str, str], None]) -> None:
    """Draw the groups; `on_act` receives the action (`open`, `run`, `all`, `fix`, or one from a menu) and the row's id.
    It is called once for each click or key press, even if the browser sends it again.
    """

    def acted() -> None:
        given = _given(key)
        on_act(str(given.get("act", "")), str(given.get("id", "")))

    _mount(
        key=key,
        data={"groups": [asdict(group) for group in groups]},
        on_acted_change=once_for(key, acted, lambda: _given(key).get("once")),
    )


def _given(key: str) -> Mapping[str, Any]:
    """Return the action since the last run."""
    given: Mapping[str, Any] = session.widget_value(key).acted or {}
    return given
