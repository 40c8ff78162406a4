"""How a card shows its table: the recorded view, and this tab's later choices."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.commands.catalog import SetTableView, TableLook
from engine.views.chat import CallView
from ui import session
from ui.current_app import REFUSED, send

__all__ = ["CardTable", "change_look", "look_of", "reset_look", "set_field"]

_UNSET: Any = object()


@dataclass(frozen=True, slots=True)
class CardTable:
    """The table of a card."""

    chat_id: str
    call: CallView | None
    """The call that showed the table; if None, the choices are stored in this tab only."""
    path: str
    """The file with its rows."""
    key: str

    @property
    def recorded(self) -> TableLook:
        """The recorded view when the page was drawn."""
        return self.call.looks.get(self.path, TableLook()) if self.call is not None else TableLook()


def look_of(table: CardTable) -> TableLook:
    """Return how a table is shown: as chosen in this tab, until the page is drawn with another recorded choice."""
    known = session.remembered(_name(table))
    if known is None or known[0] != table.recorded:
        known = table.recorded, table.recorded
        session.remember(_name(table), known)
    look: TableLook = known[1]
    return look


def change_look(table: CardTable, change: Callable[[TableLook], TableLook]) -> None:
    """Change how a table is shown, and record it; while the past is shown, change it in this tab only."""
    before = look_of(table)
    after = change(before)
    session.remember(_name(table), (table.recorded, after))
    if after == before or table.call is None or session.looks_back():
        return
    if send(SetTableView(table.chat_id, table.call.call_id, table.path, after)) is REFUSED:
        session.remember(_name(table), (table.recorded, before))


def reset_look(table: CardTable) -> None:
    """Show a table as it was first shown."""
    change_look(table, lambda _: TableLook())


def set_field(table: CardTable, key: str, value: Any, **more: Callable[[Any], Any]) -> Callable[[], None]:
    """Set the field `key`, which is drawn next, to `value`, and return its callback.

    `more` names parts of the look, each with a function from the field's value to the part's new value.
    """
    if session.widget_value_or(key, _UNSET) != value:
        session.prefill(key, value)

    def changed() -> None:
        held = session.widget_value(key)
        change_look(table, lambda look: look.model_copy(update={name: of(held) for name, of in more.items()}))

    return changed


def _name(table: CardTable) -> str:
    return f"look-{table.key}"
