"""`anabranch chat approve`, `answer` and `deny`: decide about a call that waits for you."""

from pathlib import Path

import click

from engine.app.queries.chats import FindCall
from engine.cli.answer import begin_and_tell
from engine.cli.json_options import json_object
from engine.cli.options import allow_tools_option, data_option, json_option, working_on
from engine.commands.questions import AnswerCall, ApproveCall, DenyCall

__all__ = ["answer_call", "approve_call", "deny_call"]


@click.command("approve")
@click.argument("call", help="The id of a waiting call.")
@click.option("--args", "arguments", help="Run the call with these arguments instead: a JSON object.")
@click.option("--always", is_flag=True, help="Do not ask about this tool in this chat again.")
@allow_tools_option
@data_option
@json_option
def approve_call(
    call: str, arguments: str | None, always: bool, yes: bool, data: Path | None, as_json: bool
) -> None:
    """Allow a waiting call, then print the answer."""
    with working_on(data, as_json=as_json) as (output, engine):
        edited = None if arguments is None else json_object(arguments, "--args")
        command = ApproveCall(
            engine.read(FindCall(call)), call, edited, always=always, allow_confirmations=yes
        )
        begin_and_tell(output, engine, command)


@click.command("answer")
@click.argument("call", help="The id of the call in which the model asks you a question.")
@click.argument("text", help="Your answer.")
@allow_tools_option
@data_option
@json_option
def answer_call(call: str, text: str, yes: bool, data: Path | None, as_json: bool) -> None:
    """Answer a question from the model, then print the model's answer."""
    with working_on(data, as_json=as_json) as (output, engine):
        begin_and_tell(
            output, engine, AnswerCall(engine.read(FindCall(call)), call, text, allow_confirmations=yes)
        )


@click.command("deny")
@click.argument("call", help="The id of a waiting call.")
@click.option("--reason", default="", show_default=False, help="The reason to give to the model.")
@allow_tools_option
@data_option
@json_option
def deny_call(call: str, reason: str, yes: bool, data: Path | None, as_json: bool) -> None:
    """Deny a waiting call, then print the answer."""
    with working_on(data, as_json=as_json) as (output, engine):
        begin_and_tell(
            output, engine, DenyCall(engine.read(FindCall(call)), call, reason, allow_confirmations=yes)
        )
