"""Commands about cards: how a table is shown."""

from engine.commands.base import Command
from events.catalog.card import NumberFormat, TableLook
from events.late_dataclass import dataclass

__all__ = ["NumberFormat", "SetTableView", "TableLook"]


@dataclass(frozen=True, slots=True)
class SetTableView(Command[None]):
    """Choose how a table's card shows the table. The table itself does not change. Forks keep the choice."""

    chat_id: str
    call_id: str
    """The call that showed the table."""
    path: str
    """The file with the table's rows, as the call's render plan names it."""
    view: TableLook
    """The complete new view; an empty value restores the view in which the table was first shown."""
