"""`anabranch definition …`: lists, sets and forgets the meanings of your terms, for all chats or for one."""

from typing import Annotated

import typer

from engine.app.queries.catalog import ListDefinitions
from engine.cli.options import AsJson, Data, working_on
from engine.cli.output import columns, minute
from engine.commands.catalog import ForgetDefinition, SetDefinition

__all__ = ["program"]

program = typer.Typer(help="List, set and forget definitions of your terms.", no_args_is_help=True)

Term = Annotated[str, typer.Argument(help="The term: a word or a name.")]


@program.command("list")
def list_definitions(
    chat: Annotated[str | None, typer.Option(help="List the definitions that apply in this chat.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """List the definitions for all chats, or the definitions that apply in one chat."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListDefinitions(chat))
        table = [
            [row["term"], row["meaning"], row["scope"], row["version"], minute(row["set_at"])] for row in rows
        ]
        text = columns(table, ["term", "meaning", "scope", "version", "set"]) if rows else "No definitions."
        output.done(rows, text)


@program.command("set")
def set_term(
    term: Term,
    meaning: Annotated[str, typer.Argument(help="What the term means, in one or two sentences.")],
    chat: Annotated[str | None, typer.Option(help="Define the term only in this chat.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Define a term. A term that is already defined gets a new version."""
    with working_on(data, makes=True, as_json=as_json) as (output, engine):
        made = engine.send(SetDefinition(term, meaning, chat))
        (row,) = (row for row in engine.read(ListDefinitions(chat)) if row["definition_id"] == made)
        del row["scope"]
        where = "this chat" if chat else "all chats"
        output.done(row, f"{row['term']} = {row['meaning']} (version {row['version']}, in {where})")


@program.command("forget")
def forget_term(
    term: Term,
    chat: Annotated[
        str | None,
        typer.Option(help="The chat whose own definition is removed; by default, that of all chats."),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Forget a definition. Earlier answers still show it."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(ForgetDefinition(term, chat))
        output.done({"term": term, "chat_id": chat, "forgotten": True}, f"{term} is no longer defined.")
