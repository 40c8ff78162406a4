"""`anabranch chat …`: the chats there are, and what stands in one."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.answer import tell_answer
from engine.cli.options import AsJson, Data, Yes, opened
from engine.cli.output import Output, columns
from engine.commands.catalog import AnswerCall, ApproveCall, DenyCall, ForkChat, RewindChat, Rewound
from engine.errors import Invalid
from engine.views.definitions import sentence

if TYPE_CHECKING:
    from engine.views.chat import ChatView

__all__ = ["program"]

program = typer.Typer(
    help="List, show and fork chats; approve or deny calls that wait for you.", no_args_is_help=True
)


@program.command("list")
def list_chats(data: Data = None, as_json: AsJson = False) -> None:
    """List the chats, the latest first."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        rows = app.chats()
        table = [
            [r["chat_id"], f"{r['updated_at']:%Y-%m-%d %H:%M}", r["message_count"], r["title"]] for r in rows
        ]
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
    with output.failures(), opened(data) as app:
        view = app.chat(chat)
        output.done(view.to_json(whole_tree=whole_tree), _text(view, whole_tree))


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
    with output.failures(), opened(data) as app:
        chat_id = app.send(ForkChat(chat, message, position))
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
    with output.failures(), opened(data) as app:
        before = app.send(RewindChat(chat, position, what))
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
    with output.failures(), opened(data) as app:
        edited = None if arguments is None else _object(arguments)
        command = ApproveCall(app.chat_of(call), call, edited, always=always, allow_confirmations=yes)
        turn = app.send(command)
        tell_answer(output, app, turn.chat_id, turn.turn_id)


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
    with output.failures(), opened(data) as app:
        turn = app.send(AnswerCall(app.chat_of(call), call, text, allow_confirmations=yes))
        tell_answer(output, app, turn.chat_id, turn.turn_id)


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
    with output.failures(), opened(data) as app:
        turn = app.send(DenyCall(app.chat_of(call), call, reason, allow_confirmations=yes))
        tell_answer(output, app, turn.chat_id, turn.turn_id)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Invalid("arguments_json", f"--args is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Invalid("arguments_json", '--args must be a JSON object, like {"path": "a.csv"}.')
    return value


def _text(view: "ChatView", whole_tree: bool) -> str:
    shown = sorted(view.messages.values(), key=lambda m: m.position) if whole_tree else view.branch()
    lines = [view.title or "(no title)"]
    for message in shown:
        who = "You" if message.role == "user" else "Answer" if message.content else "Step"
        lines += ["", f"{who}  {message.created_at:%Y-%m-%d %H:%M:%S}  {message.message_id}"]
        if message.text:
            lines.append(message.text)
        lines += [f"  [{call.tool_id}: {call.status}]" for call in message.calls]
        used = [one.to_json() for one in view.definitions_used(message.turn_id)] if message.content else []
        lines += [f"  [{sentence(used)}]"] if used and message.role != "user" else []
        made = view.compactions.get(message.message_id)
        if made is not None:
            lines += ["", f"{made.sentence}:", *(f"  {line}" for line in made.summary.splitlines())]
    return "\n".join(lines)
