"""`anabranch chat …`: lists chats and shows their contents."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NoReturn

import typer

from engine.app.queries.catalog import Document, FindCall, GetChat, ListChats
from engine.cli.export_chat import export_chat
from engine.cli.moments import register
from engine.cli.options import AsJson, Chat, Data, Yes, working_on
from engine.cli.output import Output, columns, minute
from engine.cli.port import Engine
from engine.cli.save_file import save_file
from engine.commands.base import Command
from engine.commands.chats import ArchiveChat, ForkChat, RewindChat, UnarchiveChat
from engine.commands.questions import AnswerCall, ApproveCall, DenyCall
from engine.commands.values import Rewound, TurnStart
from engine.errors import Invalid
from engine.views.compactions import compaction_sentence

__all__ = ["program"]

program = typer.Typer(
    help="List, show and fork chats; approve or deny calls that wait for you.", no_args_is_help=True
)
register(program)
program.command("export")(export_chat)
program.command("save-file")(save_file)


@program.command("list")
def list_chats(data: Data = None, as_json: AsJson = False) -> None:
    """List the chats, the latest first."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListChats())
        table = [
            [
                row["chat_id"],
                minute(row["updated_at"]),
                row["message_count"],
                f"{row['title']} (archived)" if row["archived_at"] else row["title"],
            ]
            for row in rows
        ]
        text = (
            columns(table, ["id", "last change", "messages", "title"])
            if rows
            else "No chats yet. Ask something."
        )
        output.done(rows, text)


@program.command("show")
def show_chat(
    chat: Chat,
    whole_tree: Annotated[
        bool, typer.Option("--all", help="The whole tree, not only the active branch.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show a chat's active branch with its tool calls."""
    with working_on(data, as_json=as_json) as (output, engine):
        document = engine.read(GetChat(chat, whole_tree))
        output.done(document, _text(document))


@program.command("fork")
def fork_chat(
    chat: Chat,
    message: Annotated[
        str | None, typer.Option(help="Up to this message; by default the chat's current position.")
    ] = None,
    position: Annotated[
        int | None, typer.Option("--at", help="The chat and its files at this position of the log.")
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Copy a path, with its files, into a new chat."""
    with working_on(data, as_json=as_json) as (output, engine):
        chat_id = engine.send(ForkChat(chat, message, position))
        output.done({"chat_id": chat_id}, chat_id)


@program.command("archive")
def archive_chat(
    chat: Chat,
    undo: Annotated[bool, typer.Option("--undo", help="Put it back in the list.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Move a chat from the page's list to its archive, or back."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(UnarchiveChat(chat) if undo else ArchiveChat(chat))
        text = "The chat is back in the list." if undo else "The chat is in the archive."
        output.done({"chat_id": chat, "archived": not undo}, text)


@program.command("rewind")
def rewind_chat(
    chat: Chat,
    position: Annotated[int, typer.Option("--at", help="A position of the log.")],
    what: Annotated[Rewound, typer.Option(help="What to rewind.")] = "both",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Take a chat, its files, or both back to an earlier state; later events stay in the history."""
    with working_on(data, as_json=as_json) as (output, engine):
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
    always: Annotated[
        bool, typer.Option("--always", help="Do not ask for this tool in this chat again.")
    ] = False,
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Allow a waiting call, and print the answer of its turn."""
    with working_on(data, as_json=as_json) as (output, engine):
        edited = None if arguments is None else _object(arguments)
        command = ApproveCall(
            engine.read(FindCall(call)), call, edited, always=always, allow_confirmations=yes
        )
        _begin(output, engine, command)


@program.command("answer")
def answer_call(
    call: Annotated[str, typer.Argument(help="The id of a call that asks you a question.")],
    text: Annotated[str, typer.Argument(help="Your answer.")],
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the model, and print the answer of its turn."""
    with working_on(data, as_json=as_json) as (output, engine):
        _begin(output, engine, AnswerCall(engine.read(FindCall(call)), call, text, allow_confirmations=yes))


@program.command("deny")
def deny_call(
    call: Annotated[str, typer.Argument(help="The id of a call that waits.")],
    reason: Annotated[str, typer.Option(help="The reason, which the model receives.")] = "",
    yes: Yes = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Deny a waiting call, and print the answer of its turn."""
    with working_on(data, as_json=as_json) as (output, engine):
        _begin(output, engine, DenyCall(engine.read(FindCall(call)), call, reason, allow_confirmations=yes))


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Invalid("arguments_json", f"--args is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Invalid("arguments_json", '--args must be a JSON object, like {"path": "a.csv"}.')
    return value


def _text(document: Document) -> str:
    lines = [document["title"] or "(no title)"]
    covered = {made["through_message_id"]: made for made in document["compactions"]}
    runs: dict[str | None, list[Document]] = {}
    for run in document["own_runs"]:
        runs.setdefault(run["after_message_id"], []).append(run)
    lines += _runs(runs.get(None, ()))
    for message in document["messages"]:
        who = "You" if message["role"] == "user" else "Answer" if message["content"] else "Step"
        when = message["created_at"][:19].replace("T", " ")
        lines += ["", f"{who}  {when}  {message['message_id']}"]
        if text := "".join(part["text"] for part in message["parts"] if part["kind"] == "text"):
            lines.append(text)
        lines += [f"  [{call['tool_id']}: {call['status']}]" for call in message["tool_calls"]]
        if used := message.get("definitions"):
            from engine.views.definitions import sentence  # noqa: PLC0415 - loads the events, which a list does not need

            lines.append(f"  [{sentence(used)}]")
        if made := covered.get(message["message_id"]):
            lines += ["", f"{compaction_sentence(made['messages'])}:"]
            lines += [f"  {line}" for line in made["summary"].splitlines()]
        lines += _runs(runs.get(message["message_id"], ()))
    return "\n".join(lines)


def _runs(runs: Iterable[Document]) -> Iterator[str]:
    """The lines of the user's own runs."""
    for run in runs:
        when = f"{run['started_at']}"[:19].replace("T", " ")
        yield from ("", f"You ran  {when}  {run['id']}", f"  [{run['tool_id']}: {run['status']}]")


def _begin(output: Output, engine: Engine, command: Command[TurnStart]) -> NoReturn:
    """See `begin_and_tell`."""
    from engine.cli.answer import begin_and_tell  # noqa: PLC0415 - a third of what listing chats would load

    begin_and_tell(output, engine, command)
