"""What a turn came to, as the command line tells it: the answer, or what it waits for."""

import json
from typing import TYPE_CHECKING, Any, NoReturn

from engine.cli.cli_context import interruptible
from engine.cli.output import Output
from engine.commands.catalog import StopTurn
from engine.views.chat import CallView, ChatView
from engine.views.definitions import sentence
from engine.views.outgoing_data import readable_json, what_leaves
from engine.views.placement import without_places

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["answered", "tell_answer"]

_CODES = {"stop": 0, "limit": 0, "length": 0, "awaiting_confirmation": 3}


def tell_answer(output: Output, app: "App", chat_id: str, turn_id: str) -> NoReturn:
    """Wait for a turn and print what it came to; Ctrl C stops it."""
    try:
        with interruptible(lambda: app.send(StopTurn(chat_id))):
            app.wait(turn_id)
    except KeyboardInterrupt:
        app.send(StopTurn(chat_id))
        app.wait(turn_id)
    document = answered(app, chat_id, turn_id)
    problem = app.chat(chat_id).turns[turn_id].problem
    if problem:
        output.note(problem)
    for state in app.mcp.states():
        if state.state == "connecting" and not state.tools:
            output.note(
                f"The MCP server {state.id} was not ready for this question: {state.detail or 'starting'}."
            )
    output.done(document, _text(document), _CODES.get(document["finish"], 1))


def answered(app: "App", chat_id: str, turn_id: str) -> dict[str, Any]:
    """Return what a finished turn came to, as SPEC §16 has it; `error` is there only if it ended with one."""
    view = app.chat(chat_id)
    turn = view.turns[turn_id]
    steps = sorted((m for m in view.messages.values() if m.turn_id == turn_id), key=lambda m: m.position)
    answer = next((m.content for m in reversed(steps) if m.content), "")
    if not answer:
        answer = next((m.text for m in reversed(steps) if m.text), "")
    document: dict[str, Any] = {
        "chat_id": chat_id,
        "turn_id": turn_id,
        "finish": turn.reason,
        "answer": answer,
        "tool_calls": [_call(app, view, call) for message in steps for call in message.calls],
        "usage": {"tokens_in": turn.tokens_in, "tokens_out": turn.tokens_out, "seconds": turn.seconds},
        "definitions": [one.to_json() for one in view.definitions_used(turn_id)],
    }
    if turn.reason == "error":
        message = turn.problem or "The turn ended with an error. Retry."
        document["error"] = {"code": turn.problem_kind or "turn_failed", "message": message}
    return document


def _call(app: "App", view: ChatView, call: CallView) -> dict[str, Any]:
    """A call as SPEC §16 has it; one that waits to send, with path and bytes of the files that go along."""
    document = call.to_json()
    if call.sends_to is not None and call.status == "awaiting_confirmation":
        tool = next((tool for tool in app.tools() if tool.tool_id == call.tool_id), None)
        files = app.workspace.files(view.chat_id, view.manifest)
        leaving = what_leaves(call, tool, files, list(view.calls.values()))
        document["files"] = [list(file) for file in leaving.files] if leaving else []
    return document


def _text(document: dict[str, Any]) -> str:
    lines = []
    for call in document["tool_calls"]:
        sql = (call["args"] or {}).get("sql") if isinstance(call["args"], dict) else None
        lines.append(f"[{call['tool_id']}: {call['status']}]" + (f"\n{sql}" if sql else ""))
        if call["status"] == "awaiting_confirmation":
            lines.append(_waits(call))
    ended = document["finish"]
    if ended not in ("stop", "awaiting_confirmation"):
        lines.append(f"(ended: {ended})")
    if not document["answer"]:  # a command of the user's: what the tool returned is the answer
        lines += [
            _returned(call) for call in document["tool_calls"] if call["status"] in ("success", "error")
        ]
    used = sentence(document["definitions"]) if document["answer"] else ""
    shown = "\n\n".join([*lines, without_places(document["answer"]), used])
    return shown.rstrip()


def _waits(call: dict[str, Any]) -> str:
    if call["tool_id"] == "ask_user":
        choices = "".join(f"\n  - {answer}" for answer in call["args"].get("answers", ()))
        return (
            f"It asks you: {call['args']['question']}{choices}\n"
            f'  anabranch chat answer {call["id"]} "…"\n  anabranch chat deny {call["id"]}'
        )
    given = readable_json(call["args"])
    what, always = f"It waits for you, to run with {given}", ""
    if "sends_to" in call:
        files = "".join(f"\n  with the file {path} ({size:,} bytes)" for path, size in call["files"])
        what = f"It would send this to {call['sends_to']}: {given}{files}"
        always = f"\n  anabranch chat approve {call['id']} --always   (all that goes there, in this chat)"
    return f"{what}\n  anabranch chat approve {call['id']}{always}\n  anabranch chat deny {call['id']}"


def _returned(call: dict[str, Any]) -> str:
    if call["error"]:
        return str(call["error"]["message"])
    return json.dumps(call["result"], ensure_ascii=False, indent=2)
