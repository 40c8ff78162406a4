"""`anabranch ask`: one question, answered in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import AsJson, Data, Yes, opened
from engine.cli.output import Output
from engine.commands import Ask, BeginChat, SelectModel, StopTurn, Upload

if TYPE_CHECKING:
    from engine.app import App

__all__ = ["ask"]

_CODES = {"stop": 0, "limit": 0, "length": 0, "awaiting_confirmation": 3}


def ask(
    question: Annotated[str, typer.Argument(help="The question, in your own words.")],
    chat: Annotated[str | None, typer.Option(help="Ask in this chat; else a new one begins.")] = None,
    file: Annotated[list[Path] | None, typer.Option(help="Add this file; may be given again.")] = None,
    model: Annotated[
        str | None, typer.Option(help="`offline`, `scripted:FILE`, or `PROVIDER:MODEL`.", show_default=False)
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the provider's API is.")] = None,
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question about files and print the answer."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        uploads = [Upload(path.name, path) for path in file or []]
        if chat is None:
            turn = app.send(BeginChat(question, uploads, model, base_url, allow_confirmations=yes))
        else:
            if model is not None:
                app.send(SelectModel(chat, model, base_url))
            turn = app.send(Ask(chat, question, uploads, allow_confirmations=yes))
        chat_id = turn.chat_id
        try:
            app.wait(turn.turn_id)
        except KeyboardInterrupt:
            app.send(StopTurn(chat_id))
            app.wait(turn.turn_id)
        document = answered(app, chat_id, turn.turn_id)
        problem = app.chat(chat_id).turns[turn.turn_id].problem
        if problem:
            output.note(problem)
        output.done(document, _text(document), _CODES.get(document["finish"], 1))


def answered(app: "App", chat_id: str, turn_id: str) -> dict[str, Any]:
    """Return what a finished turn came to, as SPEC §16 has it."""
    view = app.chat(chat_id)
    turn = view.turns[turn_id]
    steps = sorted((m for m in view.messages.values() if m.turn_id == turn_id), key=lambda m: m.position)
    answer = next((m.content for m in reversed(steps) if m.content), "")
    if not answer:
        answer = next((m.text for m in reversed(steps) if m.text), "")
    return {
        "chat_id": chat_id,
        "turn_id": turn_id,
        "finish": turn.reason,
        "answer": answer,
        "tool_calls": [call.to_json() for message in steps for call in message.calls],
        "usage": {"tokens_in": turn.tokens_in, "tokens_out": turn.tokens_out, "seconds": turn.seconds},
    }


def _text(document: dict[str, Any]) -> str:
    lines = []
    for call in document["tool_calls"]:
        sql = (call["args"] or {}).get("sql") if isinstance(call["args"], dict) else None
        lines.append(f"[{call['tool_id']}: {call['status']}]" + (f"\n{sql}" if sql else ""))
    ended = document["finish"]
    if ended != "stop":
        lines.append(f"(ended: {ended})")
    shown = "\n\n".join([*lines, document["answer"]])
    return shown.rstrip()
