"""The tree of a chat for drawing: a row for each question and answer, ordered by time, with branches side by side.
Pure.

The steps of a turn share one row: the row of its answer. A branch keeps its lane; a new branch gets the next free lane.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from engine.deciders.branch_lanes import lanes
from engine.views.chat import ChatView, MessageView
from events.catalog.chat import EDITED
from events.late_dataclass import dataclass

__all__ = ["BranchRow", "branch_rows", "row_of", "rows_at"]

_LABEL = 120
_MARKS = re.compile(r"[*`]+|(?<!\w)_++|(?<!_)_++(?!\w)")


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A question or an answer in the tree."""

    message_id: str
    """The message; for an answer, the last message of its turn."""
    parent: int | None
    """The index of the previous row on the branch."""
    lane: int
    question: bool
    label: str
    at: datetime
    """The time in UTC."""
    position: int
    """The position in the log."""
    on_path: bool
    """Whether the row is on the path to the chat's current message."""
    here: bool
    """Whether the chat is at this row."""


def branch_rows(view: ChatView) -> list[BranchRow]:
    """Return the rows of a chat's tree, in the order in which its messages were added."""
    stands = row_of(view)
    path = {stands[message.message_id] for message in view.branch()}
    here = stands.get(view.leaf or "")
    nodes = sorted(set(stands.values()), key=lambda m: view.messages[m].position)
    index = {message_id: number for number, message_id in enumerate(nodes)}
    in_order = sorted(view.messages.values(), key=lambda m: m.position)
    lane_of = lanes((m.message_id, m.parent_id) for m in in_order)
    rows: list[BranchRow] = []
    for message_id in nodes:
        message = view.messages[message_id]
        rows.append(
            BranchRow(
                message_id=message_id,
                parent=_parent(view, message, stands, index),
                lane=lane_of[message_id],
                question=message.role == "user",
                label=_label(message),
                at=message.created_at,
                position=message.position,
                on_path=message_id in path,
                here=message_id == here,
            )
        )
    return rows


def rows_at(then: ChatView, now: ChatView, position: int) -> tuple[list[BranchRow], list[BranchRow]]:
    """Return the rows at `position`, and the later rows. The `parent` indexes count through both lists as if they were
    one.
    """
    rows, present = branch_rows(then), branch_rows(now)
    later = [row for row in present if row.position > position]
    place = {row.message_id: number for number, row in enumerate([*rows, *later])}

    def parent(row: BranchRow) -> int | None:
        return place.get(present[row.parent].message_id) if row.parent is not None else None

    return rows, [replace(row, parent=parent(row), on_path=False, here=False) for row in later]


def row_of(view: ChatView) -> dict[str, str]:
    """Return a map from each message to the message whose row shows it: itself, or the last message of its turn so far.

    An answer that the user edited is a row beside the answer that it replaces.
    """
    last: dict[str, str] = {}
    for message in sorted(view.messages.values(), key=lambda m: m.position):
        if message.turn_id is not None and message.role != "user" and message.finish != EDITED:
            last[message.turn_id] = message.message_id
    return {
        m.message_id: last[m.turn_id]
        if m.role != "user" and m.turn_id in last and m.finish != EDITED
        else m.message_id
        for m in view.messages.values()
    }


def _parent(
    view: ChatView, message: MessageView, stands: Mapping[str, str], index: Mapping[str, int]
) -> int | None:
    own = stands[message.message_id]
    at = message.parent_id
    while at is not None and stands.get(at) == own:
        at = view.messages[at].parent_id
    return index.get(stands[at]) if at is not None and at in stands else None


def _label(message: MessageView) -> str:
    words = message.content or message.text
    plain = (_MARKS.sub("", line).strip(" #>-|") for line in words.splitlines())
    line = next((line for line in plain if line), "")
    if not line:
        return "Used tools" if message.calls else "No text"
    return line if len(line) <= _LABEL else line[: _LABEL - 1].rstrip() + "…"
