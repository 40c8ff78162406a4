"""How cards show tables, and which of the user's own results a rewind hides. Pure."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from engine.commands.cards import TableLook
from engine.errors import Invalid, NotFound
from events.catalog.card import ResultPutAside, TableViewSet
from events.event import Event

if TYPE_CHECKING:
    from engine.deciders.chat_state import ChatState

__all__ = ["LONGEST_NAME", "MOST_COLUMNS", "Cards", "set_table_view"]

MOST_COLUMNS = 4_000
"""Columns that one view may name."""
LONGEST_NAME = 500
"""Characters of one name, and of the text that rows are to contain."""


@dataclass(slots=True)
class Cards:
    """The choices for the cards of a chat."""

    views: dict[tuple[str, str], TableViewSet] = field(default_factory=dict)
    """Call and file → how its table is shown."""
    aside: set[str] = field(default_factory=set)
    """The calls whose results no card shows."""

    def evolve(self, event: Event) -> None:
        """Take the cards one event further."""
        match event:
            case TableViewSet():
                self.views[event.call_id, event.path] = event
            case ResultPutAside(aside=True):
                self.aside.add(event.call_id)
            case ResultPutAside():
                self.aside.discard(event.call_id)
            case _:
                pass

    def taken_back(self, then: "Cards", of: set[str], made_since: set[str]) -> Iterator[Event]:
        """Yield events that show the calls in `of` as `then`; those in `made_since` did not exist."""
        for key, event in self.views.items():
            before = then.views.get(key, TableViewSet(call_id=key[0], path=key[1]))
            if key[0] in of and key[0] not in made_since and before != event:
                yield before
        for call_id in sorted(of):
            aside = call_id in made_since or call_id in then.aside
            if aside != (call_id in self.aside):
                yield ResultPutAside(call_id=call_id, aside=aside)


def set_table_view(state: "ChatState", call_id: str, path: str, view: TableLook) -> list[Event]:
    """Return the event that shows a table so; none if it is shown so already.

    Raises:
        NotFound: the chat has no such call.
        Invalid: the view names more columns, or longer ones, than a table can have.
    """
    if call_id not in state.calls:
        raise NotFound("call_not_found", f"This chat has no call {call_id}.")
    named = [*view.shown, *view.hidden, *view.names, *view.names.values(), *view.formats, view.sort_by or ""]
    if len(named) > MOST_COLUMNS or any(len(one) > LONGEST_NAME for one in (*named, view.find, path)):
        raise Invalid(
            "view_too_large",
            f"A view names up to {MOST_COLUMNS:,} columns, each with up to {LONGEST_NAME} characters. Choose fewer.",
        )
    chosen = TableViewSet(call_id=call_id, path=path, **asdict(view))
    before = state.cards.views.get((call_id, path), TableViewSet(call_id=call_id, path=path))
    return [] if chosen == before else [chosen]
