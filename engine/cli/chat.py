"""`anabranch chat …`: the chats there are, and what stands in one."""

import json
from typing import Annotated, Any

import typer

from engine.app.queries.catalog import Document, FindCall, GetChat, ListChats
from engine.cli.answer import begin_and_tell
from engine.cli.export_chat import export_chat
from engine.cli.moments import register
from engine.cli.options import AsJson, Data, Yes, opened
from engine.cli.output import Output, columns, minute
from engine.commands.catalog import (
    AnswerCall,
    ApproveCall,
    DenyCall,
    ForkChat,
    RewindChat,
    Rewound,
)
from engine.errors import Invalid
from engine.views.compactions import compaction_sentence
from engine.views.definitions import sentence

__all__ = ["program"]

program = typer.Typer(
    help="List, show and fork chats; approve or deny calls that wait for you.", no_args_is_help=True
)
register(program)
program.command("export")(export_chat)


@program.command("list")
def list_chats(data: Data = None, as_json: AsJson = False) -> None:
    """List the chats, the latest first."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        rows = engine.read(ListChats())
        table = [[r["chat_id"], minute(r["updated_at"]), r["message_count"], r["title"]] for r in rows]
        text = (
            columns(table, ["id", "last change", "messages", "title"])
            if rows
            else "No chats yet. Ask something."
        )
        output.done(rows, text)


@program.command("show")
def show_chat(
    chat: Annotated[str, typer.Argument(help="The chat's id.")],
    whole_tree: Annotated[
        bool, typer.Option("--all", help="The whole tree, not only the active branch.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show a chat's active branch with its tool calls."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        document = engine.read(GetChat(chat, whole_tree))
        output.done(document, _text(document))


@program.command("fork")
def fork_chat(
    chat: Annotated[str, typer.Argument(help="The chat's id.")],
    message: Annotated[
        str | None, typer.Option(help="Up to this message; else where the chat stands.")
    ] = None,
    position: Annotated[
        int | None, typer.Option("--at", help="As the chat and its files were at this position of the log.")
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Copy a path, with its files, into a new chat."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        chat_id = engine.send(ForkChat(chat, message, position))
        output.done({"chat_id": chat_id}, chat_id)


@program.command("rewind")
def rewind_chat(
    chat: Annotated[str, typer.Argument(help="The chat's id.")],
    position: Annotated[int, typer.Option("--at", help="A position of the log.")],
    what: Annotated[Rewound, typer.Option(help="What goes back.")] = "both",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Take a chat, its files, or both back to how they were; what came later stays in its history."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        before = engine.send(RewindChat(chat, position, what))
        told = {"both": "The chat and its files are", "chat": "The chat is", "files": "The files are"}[what]
        undo = f"`anabranch chat rewind {chat} --at {before}` undoes this."
        output.done({"chat_id": chat, "before": before}, f"{told} as at position {position}. {undo}")


@program.command("approve")
def approve_call(
    call: Annotated[str, typer.Argument(help="The id of a call that waits.")],
    arguments: Annotated[
        str | None,
        typer.Option(
            "--args", help="Run it with these arguments instead, a JSON object.", show_default=False
        ),
    ] = None,
    always: Annotated[bool, typer.Option("--always", help="Ask no more for this tool in this chat.")] = False,
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Allow a call that waits, and print the answer that its turn comes to."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        edited = None if arguments is None else _object(arguments)
        command = ApproveCall(
            engine.read(FindCall(call)), call, edited, always=always, allow_confirmations=yes
        )
        begin_and_tell(output, engine, command)


@program.command("answer")
def answer_call(
    call: Annotated[str, typer.Argument(help="The id of a call that asks you a question.")],
    text: Annotated[str, typer.Argument(help="Your answer.")],
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question of the model, and print the answer that its turn comes to."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        begin_and_tell(
            output, engine, AnswerCall(engine.read(FindCall(call)), call, text, allow_confirmations=yes)
        )


@program.command("deny")
def deny_call(
    call: Annotated[str, typer.Argument(help="The id of a call that waits.")],
    reason: Annotated[str, typer.Option(help="Why, in words for the model.")] = "",
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Refuse a call that waits, and print the answer that its turn comes to."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        begin_and_tell(
            output, engine, DenyCall(engine.read(FindCall(call)), call, reason, allow_confirmations=yes)
        )


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Invalid("arguments_json", f"--args is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Invalid("arguments_json", '--args must be a JSON object, like {"path": "a.csv"}.')
    return value


def _text(document: Document) -> str:
    lines = [document["title"] or "(no title)"]
    covered = {made["through_message_id"]: made for made in document["compactions"]}
    for message in document["messages"]:
        who = "You" if message["role"] == "user" else "Answer" if message["content"] else "Step"
        when = message["created_at"][:19].replace("T", " ")
        lines += ["", f"{who}  {when}  {message['message_id']}"]
        if text := "".join(part["text"] for part in message["parts"] if part["kind"] == "text"):
            lines.append(text)
        lines += [f"  [{call['tool_id']}: {call['status']}]" for call in message["tool_calls"]]
        if used := message.get("definitions"):
            lines.append(f"  [{sentence(used)}]")
        if made := covered.get(message["message_id"]):
            lines += ["", f"{compaction_sentence(made['messages'])}:"]
            lines += [f"  {line}" for line in made["summary"].splitlines()]
    return "\n".join(lines)
