"""`anabranch ask`: one question, answered in the terminal."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.answer import tell_answer
from engine.cli.cli_context import here, interruptible
from engine.cli.options import AsJson, Data, Yes, opened
from engine.cli.output import Output
from engine.commands.catalog import (
    Ask,
    BeginChat,
    Depth,
    IfRunning,
    SelectDepth,
    SelectModel,
    TurnStart,
    UnqueueQuestion,
    Upload,
    Waiting,
)
from engine.errors import Invalid
from events.canonical import JSONObject

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["ask"]


def ask(
    question: Annotated[str, typer.Argument(help="The question, in your own words.")] = "",
    chat: Annotated[str | None, typer.Option(help="Ask in this chat; else a new one begins.")] = None,
    file: Annotated[list[Path] | None, typer.Option(help="Add this file; may be given again.")] = None,
    model: Annotated[
        str | None, typer.Option(help="`offline`, `scripted:FILE`, or `PROVIDER:MODEL`.", show_default=False)
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the provider's API is.")] = None,
    depth: Annotated[
        Depth | None,
        typer.Option(help="How many steps the model may take, from now on in this chat.", show_default=False),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(help="A query form as JSON, which the offline analyst answers.", show_default=False),
    ] = None,
    yes: Yes = False,
    allow_send: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DESTINATION",
            help="Let tools send there in this chat without asking, such as web-search:api.exa.ai; may be given again.",
        ),
    ] = None,
    if_running: Annotated[
        IfRunning,
        typer.Option(help="If a question is being answered in that chat: refuse this one, or queue it."),
    ] = "refuse",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question about files and print the answer."""
    if not question and form is None:
        raise typer.BadParameter("Give a question, or a form with --form.", param_hint="QUESTION")
    output = Output(as_json=as_json)
    with output.failures(), opened(data, makes=True) as app:
        uploads = [Upload(path.name, here(path)) for path in file or []]
        model = _found(model)
        wanted = _form(form)
        question = _question(question, wanted)
        if chat is None:
            turn = app.send(
                BeginChat(
                    question, uploads, model, base_url, None, yes, depth or "quick", wanted, allow_send or ()
                )
            )
        else:
            if model is not None:
                app.send(SelectModel(chat, model, base_url))
            if depth is not None:
                app.send(SelectDepth(chat, depth))
            asked = app.send(Ask(chat, question, uploads, yes, wanted, allow_send or (), if_running))
            turn = _begun(output, app, chat, asked)
        tell_answer(output, app, turn.chat_id, turn.turn_id)


def _begun(output: Output, app: "App", chat_id: str, asked: TurnStart | Waiting) -> TurnStart:
    """The turn of a question; one that was queued is waited for, and Ctrl C takes it back."""
    if isinstance(asked, TurnStart):
        return asked
    output.note("Another question is being answered in this chat. This one waits for its end.")
    withdraw = UnqueueQuestion(chat_id, asked.queued_id)
    try:
        with interruptible(lambda: app.send(withdraw)):
            return app.turn_of(asked)
    except KeyboardInterrupt:
        app.send(withdraw)
        raise


def _form(text: str | None) -> JSONObject | None:
    if text is None:
        return None
    try:
        form = json.loads(text)
    except ValueError as error:
        raise Invalid("query_form", f"The form is not valid JSON: {error}.") from None
    if not isinstance(form, dict):
        raise Invalid("query_form", "The form is not a JSON object.")
    return form


def _question(question: str, form: JSONObject | None) -> str:
    if question or form is None:
        return question
    from engine.views.query_form import form_sentence  # noqa: PLC0415 - the analyst loads only if it is asked

    return form_sentence(form)


def _found(model: str | None) -> str | None:
    """A script's file is where the caller is, and stays known when another asks in that chat."""
    kind, _, file = (model or "").partition(":")
    return f"scripted:{here(Path(file).expanduser())}" if kind == "scripted" and file else model
