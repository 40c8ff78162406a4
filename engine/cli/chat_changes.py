"""`anabranch chat fork`, `archive` and `rewind`."""

from pathlib import Path
from typing import get_args

import click

from engine.cli.options import chat_argument, data_option, json_option, working_on
from engine.commands.chats import ArchiveChat, ForkChat, RewindChat, UnarchiveChat
from engine.commands.values import Rewound

__all__ = ["archive_chat", "fork_chat", "rewind_chat"]


@click.command("fork")
@chat_argument
@click.option("--message", help="The id of the last message to copy; by default the chat's current message.")
@click.option(
    "--at", "position", type=int, help="Fork the chat and its files as they were at this position in the log."
)
@data_option
@json_option
def fork_chat(chat: str, message: str | None, position: int | None, data: Path | None, as_json: bool) -> None:
    """Copy a branch, with its files, into a new chat."""
    with working_on(data, as_json=as_json) as (output, engine):
        chat_id = engine.send(ForkChat(chat, message, position))
        output.done({"chat_id": chat_id}, chat_id)


@click.command("archive")
@chat_argument
@click.option("--undo", is_flag=True, help="Take the chat out of the archive.")
@data_option
@json_option
def archive_chat(chat: str, undo: bool, data: Path | None, as_json: bool) -> None:
    """Move a chat from the list of chats to the archive, or back."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(UnarchiveChat(chat) if undo else ArchiveChat(chat))
        text = "The chat is back in the list." if undo else "The chat is in the archive."
        output.done({"chat_id": chat, "archived": not undo}, text)


@click.command("rewind")
@chat_argument
@click.option("--at", "position", type=int, required=True, help="The position in the log to go back to.")
@click.option(
    "--what",
    type=click.Choice(get_args(Rewound)),
    default="both",
    help="Rewind the chat, its files, or both.",
)
@data_option
@json_option
def rewind_chat(chat: str, position: int, what: Rewound, data: Path | None, as_json: bool) -> None:
    """Take a chat, its files, or both back to an earlier state; later events stay in the history."""
    with working_on(data, as_json=as_json) as (output, engine):
        before = engine.send(RewindChat(chat, position, what))
        told = {"both": "The chat and its files are", "chat": "The chat is", "files": "The files are"}[what]
        undo = f"`anabranch chat rewind {chat} --at {before}` undoes this."
        output.done({"chat_id": chat, "before": before}, f"{told} back at position {position}. {undo}")
