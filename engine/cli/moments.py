"""`anabranch chat moments`, `name-moment` and `forget-moment`: names for states of a chat's files."""

from pathlib import Path

import click

from engine.app.queries.catalog import ListMoments
from engine.cli.options import chat_argument, data_option, json_option, working_on
from engine.cli.output import columns, minute
from engine.commands.moments import ForgetMoment, NameMoment

__all__ = ["forget_moment", "list_moments", "name_moment"]


@click.command("moments")
@chat_argument
@data_option
@json_option
def list_moments(chat: str, data: Path | None, as_json: bool) -> None:
    """List a chat's named moments. In SQL and Python, the tables of a moment are NAME.table."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListMoments(chat))
        table = [[row["name"], minute(row["named_at"]), row["description"]] for row in rows]
        output.done(rows, columns(table, ["name", "named", "description"]) if rows else "No named moments.")


@click.command("name-moment")
@chat_argument
@click.argument("name", help="Lower-case letters, digits and _, such as before_cleaning.")
@click.option(
    "--at",
    "position",
    type=int,
    help="Name the files at this position in the log; by default the current files.",
)
@click.option("--message", help="Name the state of the files right after this message.")
@click.option("--rename", help="Rename the moment that has this name.")
@click.option("--description", default="", show_default=False, help="A description of the moment.")
@data_option
@json_option
def name_moment(
    chat: str,
    name: str,
    position: int | None,
    message: str | None,
    rename: str | None,
    description: str,
    data: Path | None,
    as_json: bool,
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


@click.command("forget-moment")
@chat_argument
@click.argument("name", help="The moment's name.")
@data_option
@json_option
def forget_moment(chat: str, name: str, data: Path | None, as_json: bool) -> None:
    """Remove a moment's name. Its files stay in the history."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(ForgetMoment(chat, name))
        output.done({"chat_id": chat, "name": name, "forgotten": True}, f"{name} no longer names a moment.")
