"""`anabranch chat show`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from engine.app.queries.chats import GetChat
from engine.app.queries.reports import Document
from engine.cli.options import chat_argument, data_option, json_option, working_on
from engine.views.compactions import compaction_sentence

__all__ = ["show_chat"]


@click.command("show")
@chat_argument
@click.option("--all", "whole_tree", is_flag=True, help="Show all branches, not only the active one.")
@data_option
@json_option
def show_chat(chat: str, whole_tree: bool, data: Path | None, as_json: bool) -> None:
    """Show a chat's active branch with its tool calls."""
    with working_on(data, as_json=as_json) as (output, engine):
        document = engine.read(GetChat(chat, whole_tree))
        output.done(document, _text(document))


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
            from engine.views.definitions import sentence  # noqa: PLC0415 - loads the events

            lines.append(f"  [{sentence(used)}]")
        if made := covered.get(message["message_id"]):
            lines += ["", f"{compaction_sentence(made['messages'])}:"]
            lines += [f"  {line}" for line in made["summary"].splitlines()]
        lines += _runs(runs.get(message["message_id"], ()))
    return "\n".join(lines)


def _runs(runs: Iterable[Document]) -> Iterator[str]:
    """Yield the lines about the calls that the user ran."""
    for run in runs:
        when = f"{run['started_at']}"[:19].replace("T", " ")
        yield from ("", f"You ran  {when}  {run['id']}", f"  [{run['tool_id']}: {run['status']}]")
