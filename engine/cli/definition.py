"""`anabranch definition …`: lists, sets and forgets the meanings of your terms, for all chats or for one."""

from pathlib import Path

import click

from engine.app.queries.catalog import ListDefinitions
from engine.cli.lazy_group import OrderedGroup
from engine.cli.options import data_option, json_option, working_on
from engine.cli.output import columns, minute
from engine.commands.catalog import ForgetDefinition, SetDefinition

__all__ = ["program"]

program = OrderedGroup(help="List, set and forget definitions of your terms.")

_term_argument = click.argument("term", help="The term: a word or a name.")


@program.command("list")
@click.option("--chat", help="List the definitions that apply in this chat.")
@data_option
@json_option
def list_definitions(chat: str | None, data: Path | None, as_json: bool) -> None:
    """List the definitions for all chats, or the definitions that apply in one chat."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListDefinitions(chat))
        table = [
            [row["term"], row["meaning"], row["scope"], row["version"], minute(row["set_at"])] for row in rows
        ]
        text = columns(table, ["term", "meaning", "scope", "version", "set"]) if rows else "No definitions."
        output.done(rows, text)


@program.command("set")
@_term_argument
@click.argument("meaning", help="What the term means, in one or two sentences.")
@click.option("--chat", help="Define the term only in this chat.")
@data_option
@json_option
def set_term(term: str, meaning: str, chat: str | None, data: Path | None, as_json: bool) -> None:
    """Define a term. A term that is already defined gets a new version."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        made = engine.send(SetDefinition(term, meaning, chat))
        (row,) = (row for row in engine.read(ListDefinitions(chat)) if row["definition_id"] == made)
        del row["scope"]
        where = "this chat" if chat else "all chats"
        output.done(row, f"{row['term']} = {row['meaning']} (version {row['version']}, in {where})")


@program.command("forget")
@_term_argument
@click.option(
    "--chat",
    help="The chat whose own definition is removed; by default, the definition for all chats is removed.",
)
@data_option
@json_option
def forget_term(term: str, chat: str | None, data: Path | None, as_json: bool) -> None:
    """Forget a definition. Earlier answers still show it."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(ForgetDefinition(term, chat))
        output.done({"term": term, "chat_id": chat, "forgotten": True}, f"{term} is no longer defined.")
