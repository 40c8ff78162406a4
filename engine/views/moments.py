"""The named moments of a chat for the page, with their places in the history and in the tree. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.views.branches import row_of
from engine.views.chat import ChatView
from events.late_dataclass import dataclass

__all__ = ["MomentView", "moments_by_row", "moments_of", "names_here"]


@dataclass(frozen=True, slots=True)
class MomentView:
    """A named moment."""

    name: str
    description: str
    message_id: str | None
    manifest_id: str | None
    position: int
    """The first log position with this message and these files; 0 if the moment has neither."""


def moments_of(rows: Iterable[Mapping[str, Any]], view: ChatView) -> tuple[MomentView, ...]:
    """Return the moments from rows of the read model `moments`; `view` is the chat's current view."""
    return tuple(
        MomentView(
            row["name"],
            row["description"] or "",
            row["message_id"],
            row["manifest_id"],
            _position(view, row["message_id"], row["manifest_id"]),
        )
        for row in rows
    )


def _position(view: ChatView, message_id: str | None, manifest_id: str | None) -> int:
    message, manifest = view.messages.get(message_id or ""), view.manifests.get(manifest_id or "")
    return max(message.position if message else 0, manifest["position"] if manifest else 0)


def names_here(moments: Iterable[MomentView], view: ChatView) -> list[MomentView]:
    """Return the moments whose message and files are the current ones in `view`."""
    return [one for one in moments if (one.message_id, one.manifest_id) == (view.leaf, view.manifest)]


def moments_by_row(moments: Iterable[MomentView], view: ChatView) -> dict[str, list[str]]:
    """Return message → the names of the moments that are shown in the message's row of the tree."""
    found: dict[str, list[str]] = {}
    shows = row_of(view)
    for one in moments:
        if one.message_id in shows:
            found.setdefault(shows[one.message_id], []).append(one.name)
    return found
