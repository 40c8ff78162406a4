"""The values of a chart editor's controls. Each choice changes the draft once, however late it arrives.

A reader can choose faster than a page is drawn. Choices that were made during a run arrive together. Some come from
controls that the run has replaced, and each request also repeats the old values of controls that no longer exist. So a
choice is applied to the draft as it is when the choice arrives, and only if its value is new. A control gets a new key
only if it must show a different value.
"""

from collections.abc import Callable
from typing import Any, Final

from ui import session
from ui.widgets.cards.chart_draft import Draft

__all__ = ["Change", "Held"]

Change = Callable[[Callable[[Draft], Draft]], None]
"""Changes the draft: it is called with a function that changes the current draft."""
_NOTHING: Final = object()


class Held:
    """The values of one editor's controls, from when it opens until it closes.

    All callbacks share it, including those of replaced controls, so it is changed in place.
    """

    def __init__(self, name: str) -> None:
        """`name` is part of the keys of the controls, and differs each time that an editor opens."""
        self._name = name
        self._numbers: dict[str, int] = {}
        self._values: dict[str, Any] = {}
        self._writes: dict[str, Callable[[], None]] = {}

    def control(
        self, field: str, shown: Any, write: Callable[[Draft, Any], Draft], change: Change
    ) -> dict[str, Any]:
        """Return the key and the callback of a control that is drawn next.

        Args:
            field: names the control.
            shown: the value that it must show.
            write: returns the draft after a choice, given the draft and the value.
            change: changes the draft.
        """
        key = self._key(field)
        if key in self._values and self._values[key] != shown:
            self._numbers[field] = self._numbers.get(field, 0) + 1
            key = self._key(field)
        self._values[key] = shown

        def take() -> None:
            value = session.widget_value_or(key, _NOTHING)
            if value is _NOTHING or value == self._values[key]:
                return
            self._values[key] = value
            change(lambda draft: write(draft, value))

        self._writes[key] = take
        return {"key": key, "on_change": take}

    def value(self, field: str) -> Any:
        """Return the value of a control; None before it is drawn."""
        return self._values.get(self._key(field))

    def take_all(self) -> None:
        """Apply all changed controls to the draft before a button acts on it. A changed control and a click can arrive
        together.
        """
        for take in list(self._writes.values()):
            take()

    def _key(self, field: str) -> str:
        return f"ed-{field}-{self._name}-{self._numbers.get(field, 0)}"
