"""`anabranch chat fork`, `archive` and `rewind`."""

from typing import Annotated

import typer

from engine.cli.options import AsJson, Chat, Data, working_on
from engine.commands.chats import ArchiveChat, ForkChat, RewindChat, UnarchiveChat
from engine.commands.values import Rewound

__all__ = ["archive_chat", "fork_chat", "rewind_chat"]


def fork_chat(
    chat: Chat,
    message: Annotated[
        str | None,
        typer.Option(help="The id of the last message to copy; by default the chat's current message."),
    ] = None,
    position: Annotated[
        int | None,
        typer.Option("--at", help="Fork the chat and its files as they were at this position in the log."),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Copy a branch, with its files, into a new chat."""
    with working_on(data, as_json=as_json) as (output, engine):
        chat_id = engine.send(ForkChat(chat, message, position))
        output.done({"chat_id": chat_id}, chat_id)


def archive_chat(
    chat: Chat,
    undo: Annotated[bool, typer.Option("--undo", help="Take the chat out of the archive.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Move a chat from the list of chats to the archive, or back."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(UnarchiveChat(chat) if undo else ArchiveChat(chat))
        text = "The chat is back in the list." if undo else "The chat is in the archive."
        output.done({"chat_id": chat, "archived": not undo}, text)


def rewind_chat(
    chat: Chat,
    position: Annotated[int, typer.Option("--at", help="The position in the log to go back to.")],
    what: Annotated[Rewound, typer.Option(help="Rewind the chat, its files, or both.")] = "both",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Take a chat, its files, or both back to an earlier state; later events stay in the history."""
    with working_on(data, as_json=as_json) as (output, engine):
        before = engine.send(RewindChat(chat, position, what))
        told = {"both": "The chat and its files are", "chat": "The chat is", "files": "The files are"}[what]
        undo = f"`anabranch chat rewind {chat} --at {before}` undoes this."
        output.done({"chat_id": chat, "before": before}, f"{told} back at position {position}. {undo}")
