"""`anabranch chat list`."""

from pathlib import Path

import click

from engine.app.queries.chats import ListChats
from engine.cli.options import data_option, json_option, working_on
from engine.cli.output import columns, minute

__all__ = ["list_chats"]


@click.command("list")
@data_option
@json_option
def list_chats(data: Path | None, as_json: bool) -> None:
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
