"""The tree of a chat, drawn with a lane for each branch; clicking a message goes to it."""

from collections.abc import Callable, Mapping, Sequence

from engine.views.branches import BranchRow
from events.json_value import JSON
from ui import session
from ui.components.assets import component
from ui.words import local_time

__all__ = ["branch_graph"]

_mount = component("branch_graph")


def branch_graph(
    rows: Sequence[BranchRow],
    *,
    tag: str,
    offset: int | None,
    key: str,
    on_choose: Callable[[str], None],
    later: Sequence[BranchRow] = (),
    named: Mapping[str, Sequence[str]] | None = None,
    ticked: Sequence[str] | None = None,
    on_tick: Callable[[list[str]], None] = lambda _: None,
) -> None:
    """Draw `rows`, and after them those in `later`, in a lighter colour.

    Args:
        rows: the current or an earlier tree.
        tag: the label for the row of the current message; in an earlier tree, of the message that was current then.
        offset: the reader's minutes west of UTC.
        key: the widget's key.
        on_choose: gets the id of the message that was clicked.
        later: rows that did not exist yet; their parents are indexes into `rows` and `later` together.
        named: the names of moments, by the id of a row's message.
        ticked: the answers that are ticked, at most two; None if answers cannot be ticked.
        on_tick: gets the ids of the ticked answers after a change.
    """
    names = named or {}
    drawn = [
        _row_data(row, offset, names.get(row.message_id, ()), later=number >= len(rows))
        for number, row in enumerate((*rows, *later))
    ]
    _mount(
        key=key,
        data={"rows": drawn, "tag": tag, "ticked": None if ticked is None else list(ticked)},
        on_chosen_change=lambda: on_choose(str(session.widget_value(key).chosen or "")),
        on_ticked_change=lambda: on_tick([str(one) for one in session.widget_value(key).ticked or ()]),
    )


def _row_data(row: BranchRow, offset: int | None, names: Sequence[str], *, later: bool) -> dict[str, JSON]:
    return {
        "id": row.message_id,
        "parent": row.parent,
        "lane": row.lane,
        "question": row.question,
        "label": row.label,
        "time": local_time(row.at, offset),
        "path": row.on_path and not later,
        "here": row.here and not later,
        "later": later,
        "named": list(names),
    }
