"""The parts of a query as pills. Each opens a searchable menu of alternatives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ui import session
from ui.acts import once_for
from ui.components.assets import component

__all__ = ["Pill", "PillRow", "query_pills"]

_mount = component("query_pills")


@dataclass(frozen=True, slots=True)
class Pill:
    """One pill: a part of a query, or a button that adds a part."""

    id: str
    """The id of the part at this place. It does not change when other parts change, so the pill keeps the focus."""
    name: str
    """The text for screen readers."""
    title: str
    find: str
    """The placeholder of the menu's field."""
    lead: str
    """Connecting words before the text."""
    text: str
    problem: str = ""
    add: bool = False
    current: str = ""
    """The text of the current part, listed first in the menu; empty if there is none."""
    remove: int = -1
    """The index of the choice that removes the part; -1 if there is none."""
    choices: tuple[tuple[str, str], ...] = ()
    """The text and the detail of each choice. A pill without choices cannot be opened."""


@dataclass(frozen=True, slots=True)
class PillRow:
    """A row of pills with its label."""

    label: str
    pills: tuple[Pill, ...]


def query_pills(
    rows: Sequence[PillRow],
    *,
    token: str,
    key: str,
    on_choose: Callable[[int, int, int], None],
    disabled: bool = False,
    wide: bool = False,
) -> None:
    """Draw the rows; `on_choose` gets the indexes of the row, the pill and the choice.

    Args:
        rows: the rows of pills.
        token: identifies the drawn query. A choice from a page that showed a different query is ignored.
        key: the widget's key.
        on_choose: called once for each choice.
        disabled: whether the menus stay closed.
        wide: whether the labels are in a separate column and the first pill takes the focus, as in the builder.
    """
    data = {
        "key": key,
        "token": token,
        "disabled": disabled,
        "wide": wide,
        "rows": [asdict(row) for row in rows],
    }

    def chosen() -> None:
        found = _chosen(key)
        if found.get("token") == token:
            on_choose(int(found["row"]), int(found["pill"]), int(found["choice"]))

    _mount(key=key, data=data, on_chosen_change=once_for(key, chosen, lambda: _chosen(key).get("once")))


def _chosen(key: str) -> Mapping[str, Any]:
    """Return the choices since the last run."""
    try:
        found: Mapping[str, Any] = session.widget_value(key).chosen or {}
    except KeyError:
        return {}
    return found
