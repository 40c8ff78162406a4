"""`anabranch ask`: asks one question and prints the answer in the terminal."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from engine.app.queries.catalog import FollowQueued
from engine.cli.answer import begin_and_tell, tell_answer
from engine.cli.link import linked_upload
from engine.cli.options import PATH, allow_tools_option, data_option, json_option, working_on
from engine.cli.output import Output
from engine.cli.port import Engine, stoppable
from engine.commands.catalog import (
    Ask,
    BeginChat,
    Depth,
    IfRunning,
    SelectDepth,
    SelectModel,
    StopTurn,
    TurnStart,
    UnqueueQuestion,
    Upload,
    Waiting,
)
from engine.errors import Invalid
from events.json_value import JSONObject

__all__ = ["ask", "checked_uploads"]


@click.command()
@click.argument("question", default="", help="The question, in your own words.")
@click.option("--chat", help="The chat to ask in; by default a new one.")
@click.option("--file", type=PATH, multiple=True, help="Add this file; repeat for more.")
@click.option(
    "--link",
    multiple=True,
    metavar="LOCATION",
    help="Use this file, folder or pattern in place, without copying it; repeat for more.",
)
@click.option("--model", help="The model: `offline`, `scripted:FILE`, or `PROVIDER:MODEL`.")
@click.option("--base-url", help="The address of the provider's API.")
@click.option(
    "--depth",
    type=click.Choice(get_args(Depth)),
    help="The depth, which sets how many steps the model may take in this chat from now on.",
)
@click.option(
    "--form",
    help="The question as a query form: JSON with the parts of a query. The offline analyst answers it.",
)
@allow_tools_option
@click.option(
    "--allow-send",
    multiple=True,
    metavar="DESTINATION",
    help="In this chat, let tools send data to this destination (for example web-search:api.exa.ai) without "
    "asking; repeat for more.",
)
@click.option(
    "--if-running",
    type=click.Choice(get_args(IfRunning)),
    default="refuse",
    help="Whether to refuse or queue this question if the chat is still answering another one.",
)
@data_option
@json_option
def ask(
    question: str,
    chat: str | None,
    file: tuple[Path, ...],
    link: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    depth: Depth | None,
    form: str | None,
    yes: bool,
    allow_send: tuple[str, ...],
    if_running: IfRunning,
    data: Path | None,
    as_json: bool,
) -> None:
    """Ask a question about files and print the answer."""
    if not question and form is None:
        raise click.BadParameter("Give a question, or a form with --form.", param_hint="QUESTION")
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        uploads = [*checked_uploads(file), *(linked_upload(engine, place)[1] for place in link)]
        model = _found(model)
        wanted = _form(form)
        question = _question(question, wanted)
        if chat is None:
            begin_and_tell(
                output,
                engine,
                BeginChat(
                    question, uploads, model, base_url, None, yes, depth or "quick", wanted, allow_send
                ),
            )
        if model is not None:
            engine.send(SelectModel(chat, model, base_url))
        if depth is not None:
            engine.send(SelectDepth(chat, depth))
        turn = _begun(output, engine, Ask(chat, question, uploads, yes, wanted, allow_send, if_running))
        tell_answer(output, engine, turn)


def checked_uploads(files: Sequence[Path]) -> list[Upload]:
    """Return the files as uploads.

    Raises:
        Refused: a file cannot be read, or the files are too many or too large.
    """
    if not files:
        return []
    from engine.command_handlers.files import require_uploads  # noqa: PLC0415 - slow to import

    uploads = [Upload(path.name, path.absolute()) for path in files]
    require_uploads(uploads)
    return uploads


def _begun(output: Output, engine: Engine, command: Ask) -> TurnStart:
    """Ask the question, and return its turn. If it is queued, wait until it is asked; Ctrl C withdraws it."""
    asked = stoppable(lambda: engine.send(command), lambda sent: _give_up(engine, sent.result()))
    if isinstance(asked, TurnStart):
        return asked
    output.note("Another question is being answered in this chat. Yours is queued.")
    follow = FollowQueued(asked.chat_id, asked.queued_id)
    return stoppable(lambda: engine.read(follow), lambda _: _give_up(engine, asked))


def _give_up(engine: Engine, asked: TurnStart | Waiting) -> None:
    """Withdraw a queued question, or stop the turn that answers it."""
    waits = isinstance(asked, Waiting) and engine.send(UnqueueQuestion(asked.chat_id, asked.queued_id))
    if not waits:
        engine.send(StopTurn(asked.chat_id))


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
    """Return the model's name. If the model is a script of replies (`scripted:PATH`), make its path absolute, so that
    later commands in the chat find the file.
    """
    kind, _, file = (model or "").partition(":")
    return f"scripted:{Path(file).expanduser().absolute()}" if kind == "scripted" and file else model
