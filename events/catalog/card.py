"""Facts about cards: how a table is shown, and which of the user's own results a rewind hides."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from events.declarations import Copied, History, Refers
from events.event import ChatEvent, Value

__all__ = ["NumberFormat", "ResultPutAside", "TableLook", "TableViewSet"]

NumberFormat: TypeAlias = Literal["whole", "two_decimals", "plain", "compact", "percent", "dollar", "euro"]


class TableLook(Value):
    """How a card shows a table, with everything that the user can choose. An empty value restores the original view."""

    shown: tuple[str, ...] = ()
    """The columns that are shown, in order; empty: all of them."""
    hidden: tuple[str, ...] = ()
    """Columns that are not shown."""
    names: dict[str, str] = Field(default_factory=dict)
    """Column → the name that the card shows."""
    numbers: NumberFormat | None = None
    """The format of all numbers; None: a suitable format for each column."""
    formats: dict[str, NumberFormat] = Field(default_factory=dict)
    """Column → the format of its numbers, if it differs from `numbers`."""
    totals: bool = False
    """Whether a row with the sums of all rows is shown below the others."""
    colours: bool = False
    """Whether numbers are coloured by their value, compared with the other values in the column."""
    whole_row: bool = False
    """Whether the user can select a row to see all its values."""
    sort_by: str | None = None
    """The column by which all rows are sorted; None: the original order."""
    descending: bool = False
    find: str = ""
    """Only rows that contain this text are shown."""


class TableViewSet(ChatEvent, TableLook):
    """The user chose how a card shows its table. The table does not change; the last choice applies."""

    type: Literal["TableViewSet"] = "TableViewSet"
    history = History("choices", "You changed the view of a table.")
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    """The call that showed the table."""
    path: str
    """The file with the table's rows, which distinguishes the table from others of the same call."""


class ResultPutAside(ChatEvent):
    """A rewind hid a result that the user made from a card, or showed it again."""

    type: Literal["ResultPutAside"] = "ResultPutAside"
    history = History("choices")
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    aside: bool = True
    """Whether the result is hidden; False: cards show it again."""

    def sentence(self) -> str:
        """See `Event.sentence`: says whether it was hidden or shown."""
        return f"A rewind {'hid one of your results' if self.aside else 'showed one of your results again'}."
