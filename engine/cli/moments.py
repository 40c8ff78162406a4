"""`anabranch chat moments`, `name-moment` and `forget-moment`: names for states of a chat's files."""

from typing import Annotated

import typer

from engine.app.queries.catalog import ListMoments
from engine.cli.options import AsJson, Chat, Data, working_on
from engine.cli.output import columns, minute
from engine.commands.moments import ForgetMoment, NameMoment

__all__ = ["forget_moment", "list_moments", "name_moment"]


def list_moments(chat: Chat, data: Data = None, as_json: AsJson = False) -> None:
    """List a chat's named moments. In SQL and Python, the tables of a moment are NAME.table."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListMoments(chat))
        table = [[row["name"], minute(row["named_at"]), row["description"]] for row in rows]
        output.done(rows, columns(table, ["name", "named", "description"]) if rows else "No named moments.")


def name_moment(
    chat: Chat,
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits and _, such as before_cleaning.")],
    position: Annotated[
        int | None,
        typer.Option(
            "--at", help="Name the files at this position in the log; by default the current files."
        ),
    ] = None,
    message: Annotated[
        str | None, typer.Option(help="Name the state of the files right after this message.")
    ] = None,
    rename: Annotated[str | None, typer.Option(help="Rename the moment that has this name.")] = None,
    description: Annotated[str, typer.Option(help="A description of the moment.")] = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Name a state of a chat's files, so that SQL and Python can read its tables as NAME.table."""
    with working_on(data, as_json=as_json) as (output, engine):
        moved = any(row["name"] == name for row in engine.read(ListMoments(chat)))
        moment_id = engine.send(NameMoment(chat, name, position, message, description, rename))
        said = " The moment that had this name before no longer has a name." if moved else ""
        output.done(
            {"chat_id": chat, "name": name, "moment_id": moment_id, "moved": moved},
            f"SQL and Python read these files as {name}.TABLE.{said}",
        )


def forget_moment(
    chat: Chat,
    name: Annotated[str, typer.Argument(help="The moment's name.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Remove a moment's name. Its files stay in the history."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(ForgetMoment(chat, name))
        output.done({"chat_id": chat, "name": name, "forgotten": True}, f"{name} no longer names a moment.")
