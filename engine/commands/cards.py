"""Commands about cards: how a table is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.base import Command
from events.catalog.card import NumberFormat

__all__ = ["NumberFormat", "SetTableView", "TableLook"]


@dataclass(frozen=True, slots=True)
class TableLook:
    """How a card shows a table, with everything that the user can choose. An empty value restores the original view."""

    shown: Sequence[str] = ()
    """The columns that are shown, in order; empty: all columns."""
    hidden: Sequence[str] = ()
    """Columns that are not shown."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Column → the name that the card shows."""
    numbers: NumberFormat | None = None
    """The format of numbers; None: a suitable format for each column."""
    formats: Mapping[str, NumberFormat] = field(default_factory=dict)
    """Column → the format of its numbers, if it differs from `numbers`."""
    totals: bool = False
    """Whether a row with the sums of all rows is shown."""
    colours: bool = False
    """Whether numbers are coloured by their value, compared with the other values in the column."""
    whole_row: bool = False
    """Whether the user can select a row to see all its values."""
    sort_by: str | None = None
    """The column by which all rows are sorted; None: the original order."""
    descending: bool = False
    find: str = ""
    """Only rows that contain this text are shown."""


@dataclass(frozen=True, slots=True)
class SetTableView(Command[None]):
    """Choose how a table's card shows it. The table does not change. Forks keep the choice."""

    chat_id: str
    call_id: str
    """The call that showed the table."""
    path: str
    """The file with the table's rows, as the call's render plan names it."""
    view: TableLook
    """The complete new view; an empty value restores the view in which the table was first shown."""
