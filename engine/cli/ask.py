"""`anabranch ask`: one question, answered in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from engine.cli.answer import tell_answer
from engine.cli.caller import here
from engine.cli.options import AsJson, Data, Yes, opened
from engine.cli.output import Output
from engine.commands import Ask, BeginChat, SelectModel, Upload

__all__ = ["ask"]


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
        uploads = [Upload(path.name, here(path)) for path in file or []]
        model = _found(model)
        if chat is None:
            turn = app.send(BeginChat(question, uploads, model, base_url, allow_confirmations=yes))
        else:
            if model is not None:
                app.send(SelectModel(chat, model, base_url))
            turn = app.send(Ask(chat, question, uploads, allow_confirmations=yes))
        tell_answer(output, app, turn.chat_id, turn.turn_id)


def _found(model: str | None) -> str | None:
    """A script's file is where the caller is, and stays known when another asks in that chat."""
    kind, _, file = (model or "").partition(":")
    return f"scripted:{here(Path(file).expanduser())}" if kind == "scripted" and file else model
