"""`anabranch chat approve`, `answer` and `deny`: decide about a call that waits for you."""

from typing import Annotated

import typer

from engine.app.queries.chats import FindCall
from engine.cli.answer import begin_and_tell
from engine.cli.json_options import json_object
from engine.cli.options import AllowTools, AsJson, Data, working_on
from engine.commands.questions import AnswerCall, ApproveCall, DenyCall

__all__ = ["answer_call", "approve_call", "deny_call"]


def approve_call(
    call: Annotated[str, typer.Argument(help="The id of a waiting call.")],
    arguments: Annotated[
        str | None,
        typer.Option(
            "--args", help="Run the call with these arguments instead: a JSON object.", show_default=False
        ),
    ] = None,
    always: Annotated[
        bool, typer.Option("--always", help="Do not ask about this tool in this chat again.")
    ] = False,
    yes: AllowTools = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Allow a waiting call, then print the answer."""
    with working_on(data, as_json=as_json) as (output, engine):
        edited = None if arguments is None else json_object(arguments, "--args")
        command = ApproveCall(
            engine.read(FindCall(call)), call, edited, always=always, allow_confirmations=yes
        )
        begin_and_tell(output, engine, command)


def answer_call(
    call: Annotated[str, typer.Argument(help="The id of the call in which the model asks you a question.")],
    text: Annotated[str, typer.Argument(help="Your answer.")],
    yes: AllowTools = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the model, then print the model's answer."""
    with working_on(data, as_json=as_json) as (output, engine):
        begin_and_tell(
            output, engine, AnswerCall(engine.read(FindCall(call)), call, text, allow_confirmations=yes)
        )


def deny_call(
    call: Annotated[str, typer.Argument(help="The id of a waiting call.")],
    reason: Annotated[str, typer.Option(help="The reason to give to the model.")] = "",
    yes: AllowTools = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Deny a waiting call, then print the answer."""
    with working_on(data, as_json=as_json) as (output, engine):
        begin_and_tell(
            output, engine, DenyCall(engine.read(FindCall(call)), call, reason, allow_confirmations=yes)
        )
