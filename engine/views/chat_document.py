"""Makes the document of a chat for other programs (docs/api.md). It is the same over HTTP and with `--json`. Pure."""

from collections.abc import Sequence
from typing import Any

from engine.views.chat import ChatView, MessageView

__all__ = ["chat_document"]


def chat_document(view: ChatView, *, whole_tree: bool = False) -> dict[str, Any]:
    """Return the active branch, or the whole tree, with its calls, summaries, and the user's own runs."""
    shown = sorted(view.messages.values(), key=lambda m: m.position) if whole_tree else view.branch()
    return {
        "chat_id": view.chat_id,
        "title": view.title,
        "active_leaf_message_id": view.leaf,
        "active_manifest_id": view.manifest,
        "messages": [message.to_json() | _used(view, message) for message in shown],
        "compactions": [
            {"through_message_id": made.through_id, "summary": made.summary, "messages": made.messages}
            for made in view.compactions.values()
            if any(made.through_id == message.message_id for message in shown)
        ],
        "own_runs": [
            {"after_message_id": _last_before(shown, call.position), **call.to_json()}
            for call in view.own_runs
        ],
    }


def _used(view: ChatView, message: MessageView) -> dict[str, Any]:
    """Return the definitions that a turn used, if the message is its answer."""
    used = view.definitions_used(message.turn_id) if message.content and message.role != "user" else ()
    return {"definitions": [one.to_json() for one in used]} if used else {}


def _last_before(messages: Sequence[MessageView], position: int) -> str | None:
    return next((one.message_id for one in reversed(messages) if one.position < position), None)
