"""A finished turn as a document (docs/api.md), for the command line and for the stream of a question."""

from typing import Any

from engine.app.app import App
from engine.views.answer_number import number_document
from engine.views.chat import CallView, ChatView
from engine.views.outgoing_data import what_leaves

__all__ = ["turn_document"]


def turn_document(app: App, chat_id: str, turn_id: str) -> dict[str, Any]:
    """Return the outcome of a finished turn; `error` is present only if the turn ended with one."""
    view = app.chat(chat_id)
    turn = view.turns[turn_id]
    steps = sorted((m for m in view.messages.values() if m.turn_id == turn_id), key=lambda m: m.position)
    ended = next((m for m in reversed(steps) if m.content), None)
    answer = ended.content if ended is not None else ""
    if not answer and turn.reason != "awaiting_confirmation":  # text before a call is not an answer
        answer = next((m.text for m in reversed(steps) if m.text and not m.sent_back), "")
    document: dict[str, Any] = {
        "chat_id": chat_id,
        "turn_id": turn_id,
        "finish": turn.reason,
        "answer": answer,
        "drafts": [m.text for m in steps if m.sent_back],
        "tool_calls": [_call(app, view, call) for message in steps for call in message.calls],
        "usage": {"tokens_in": turn.tokens_in, "tokens_out": turn.tokens_out, "seconds": turn.seconds},
        "numbers": [number_document(one) for one in app.numbers(chat_id, ended.message_id)] if ended else [],
        "definitions": [one.to_json() for one in view.definitions_used(turn_id)],
    }
    if turn.reason == "error":
        message = turn.problem or "The turn ended with an error. Retry."
        document["error"] = {"code": turn.problem_kind or "turn_failed", "message": message}
    return document


def _call(app: App, view: ChatView, call: CallView) -> dict[str, Any]:
    """Return a call as docs/api.md describes it. A call that waits for permission to send data includes the path and
    size of each file that it would send.
    """
    document = call.to_json()
    if call.sends_to is not None and call.status == "awaiting_confirmation":
        tool = next((tool for tool in app.tools() if tool.tool_id == call.tool_id), None)
        files = app.workspace.files(view.chat_id, view.manifest)
        leaving = what_leaves(call, tool, files, list(view.calls.values()))
        document["files"] = [list(file) for file in leaving.files] if leaving else []
    return document
