"""Prints the outcome of a turn: the answer, or the question or approval that it waits for."""

import json
from typing import Any, NoReturn

from engine.app.queries.catalog import FollowTurn
from engine.cli.output import Output
from engine.cli.port import Engine, stoppable
from engine.commands.base import Command
from engine.commands.catalog import StopTurn, TurnStart
from engine.views.definitions import sentence
from engine.views.outgoing_data import readable_json
from engine.views.placement import without_places

__all__ = ["begin_and_tell", "tell_answer"]

_CODES = {"stop": 0, "limit": 0, "length": 0, "awaiting_confirmation": 3}


def begin_and_tell(output: Output, engine: Engine, command: Command[TurnStart]) -> NoReturn:
    """Send a command that begins a turn, and print its outcome; Ctrl C stops the turn."""
    begun = stoppable(
        lambda: engine.send(command), lambda started: engine.send(StopTurn(started.result().chat_id))
    )
    tell_answer(output, engine, begun)


def tell_answer(output: Output, engine: Engine, turn: TurnStart) -> NoReturn:
    """Wait for a turn and print its outcome; Ctrl C stops the turn."""
    follow = FollowTurn(turn.chat_id, turn.turn_id)
    report = stoppable(lambda: engine.read(follow), lambda _: engine.send(StopTurn(turn.chat_id)))
    if report.problem:
        output.note(report.problem)
    for server, detail in report.connecting:
        output.note(f"The MCP server {server} was not ready for this question: {detail}.")
    document = report.answer
    output.done(document, _text(document), _CODES.get(document["finish"], 1))


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
    if not document["answer"]:  # for a slash command, the tool's result is the answer
        lines += [
            _returned(call) for call in document["tool_calls"] if call["status"] in ("success", "error")
        ]
    below = [_doubts(document), sentence(document["definitions"])] if document["answer"] else []
    shown = "\n\n".join([*lines, without_places(document["answer"]), *(one for one in below if one)])
    return shown.rstrip()


def _doubts(document: dict[str, Any]) -> str:
    """Return a line that lists the numbers in the answer that are not in any result. The page marks them amber."""
    texts = dict.fromkeys(one["text"] for one in document["numbers"] if one["status"] == "unbacked")
    return f"Not in any result: {', '.join(texts)}." if texts else ""


def _waits(call: dict[str, Any]) -> str:
    if call["tool_id"] == "ask_user":
        choices = "".join(f"\n  - {answer}" for answer in call["args"].get("answers", ()))
        return (
            f"The model asks: {call['args']['question']}{choices}\n"
            f'  anabranch chat answer {call["id"]} "…"\n  anabranch chat deny {call["id"]}'
        )
    given = readable_json(call["args"])
    what, always = f"Waiting for your approval to run with {given}", ""
    if "sends_to" in call:
        files = "".join(f"\n  with the file {path} ({size:,} bytes)" for path, size in call["files"])
        what = f"This call would send the following to {call['sends_to']}: {given}{files}"
        always = (
            f"\n  anabranch chat approve {call['id']} --always   (always, for this destination in this chat)"
        )
    return f"{what}\n  anabranch chat approve {call['id']}{always}\n  anabranch chat deny {call['id']}"


def _returned(call: dict[str, Any]) -> str:
    if call["error"]:
        return str(call["error"]["message"])
    return json.dumps(call["result"], ensure_ascii=False, indent=2)
