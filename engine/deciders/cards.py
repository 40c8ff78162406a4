"""How cards show tables, and which of the user's own results a rewind hides. Pure."""

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from engine.errors import Invalid, NotFound
from events.catalog.card import ResultPutAside, TableLook, TableViewSet
from events.event import BlobRef, Event
from events.json_value import JSON
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from engine.deciders.chat_state import ChatState

__all__ = ["LONGEST_NAME", "MOST_COLUMNS", "Cards", "set_table_view"]

MOST_COLUMNS = 4_000
"""The maximum number of columns that one view may name."""
LONGEST_NAME = 500
"""The maximum number of characters in a name, and in the text that rows must contain."""


@dataclass(slots=True)
class Cards:
    """How the cards of a chat show their tables, and which results are hidden."""

    views: dict[tuple[str, str], TableViewSet] = field(default_factory=dict)
    """Call and file → how the file's table is shown."""
    aside: set[str] = field(default_factory=set)
    """The calls whose results are hidden."""

    def evolve(self, event: Event) -> None:
        """Apply one event to the cards."""
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
        """Yield events that make the cards of the calls in `of` look as they did in `then`. The results of calls in
        `made_since`, which did not exist then, are hidden.
        """
        for key, event in self.views.items():
            before = then.views.get(key, TableViewSet(call_id=key[0], path=key[1]))
            if key[0] in of and key[0] not in made_since and before != event:
                yield before
        for call_id in sorted(of):
            aside = call_id in made_since or call_id in then.aside
            if aside != (call_id in self.aside):
                yield ResultPutAside(call_id=call_id, aside=aside)


def _files_of(state: "ChatState", call_id: str) -> set[str] | None:
    """Return the files that a call's cards can show: the files in its render plan, and the chat's files after the call.

    None if the plan is too large to be in the log.
    """
    ended = state.calls[call_id].finished
    if ended is None:
        return set()
    if isinstance(ended.render_plan, BlobRef):
        return None
    plan = ended.render_plan.value if ended.render_plan is not None else None
    return {*_paths(plan), *state.files(ended.post_manifest_id)}


def _paths(plan: JSON) -> Iterator[str]:
    """Yield the path of each file in a render plan."""
    if isinstance(plan, dict):
        if isinstance(path := plan.get("path"), str):
            yield path
        for one in plan.values():
            yield from _paths(one)
    elif isinstance(plan, list):
        for one in plan:
            yield from _paths(one)


def set_table_view(state: "ChatState", call_id: str, path: str, view: TableLook) -> list[Event]:
    """Return the event that changes how a table is shown; no event if nothing changes.

    Raises:
        NotFound: the chat has no such call, or the call showed no such file.
        Invalid: the view names too many columns, or a name that is too long.
    """
    if call_id not in state.calls:
        raise NotFound("call_not_found", f"This chat has no call {call_id}.")
    files = _files_of(state, call_id)
    if files is not None and path not in files:
        listed = ", ".join(sorted(files)[:10]) or "none"
        raise NotFound(
            "table_not_found",
            f"The call {call_id} showed no table from a file {path}. Its tables are from: {listed}.",
        )
    named = [*view.shown, *view.hidden, *view.names, *view.names.values(), *view.formats, view.sort_by or ""]
    if len(named) > MOST_COLUMNS or any(len(one) > LONGEST_NAME for one in (*named, view.find, path)):
        raise Invalid(
            "view_too_large",
            f"A view may name up to {MOST_COLUMNS:,} columns, each with up to {LONGEST_NAME} characters. Choose fewer.",
        )
    chosen = TableViewSet(call_id=call_id, path=path, **dict(view))
    before = state.cards.views.get((call_id, path), TableViewSet(call_id=call_id, path=path))
    return [] if chosen == before else [chosen]
