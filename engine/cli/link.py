"""`anabranch link …`: adds linked files to chats, and lists or forgets the locations that may be read."""

from pathlib import Path

import click

from engine.app.queries.catalog import BrowseFolder, ListLocations
from engine.cli.lazy_group import OrderedGroup
from engine.cli.options import chat_argument, data_option, json_option, working_on
from engine.cli.output import columns
from engine.cli.port import Engine
from engine.commands.catalog import AllowLocation, ForbidLocation, Linked, Upload, UploadFiles
from engine.workspace.limits import in_units
from events.json_value import JSONObject

__all__ = ["linked_upload", "program"]

program = OrderedGroup(help="Use files in place, without copying them.")

_location_argument = click.argument(
    "location", help="Full path of a file or folder, or a pattern such as /data/*.parquet."
)


@program.command("add")
@chat_argument
@_location_argument
@data_option
@json_option
def add(chat: str, location: str, data: Path | None, as_json: bool) -> None:
    """Add files to a chat without copying them."""
    with working_on(data, as_json=as_json) as (output, engine):
        linked, upload = linked_upload(engine, location)
        (name,) = engine.send(UploadFiles(chat, [upload]))
        told: JSONObject = {"chat_id": chat, "path": name, "location": linked.location}
        told |= {"files": linked.files, "bytes": linked.bytes}
        output.done(told, f"{name} refers to {_told(linked)}.")


def linked_upload(engine: Engine, location: str) -> tuple[Linked, Upload]:
    """Allow a location, and return a link to its files, ready to be added to a chat."""
    linked = engine.send(AllowLocation(location))
    return linked, Upload(linked.name, linked.text.encode())


def _told(linked: Linked) -> str:
    files = "1 file" if linked.files == 1 else f"{linked.files:,} files"
    return f"{linked.location} ({files}, {in_units(linked.bytes)})"


@program.command("list")
@data_option
@json_option
def list_locations(data: Path | None, as_json: bool) -> None:
    """List the locations that chats may read in place."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(ListLocations())
        table = [
            [
                row["location"],
                row["kind"] or "",
                row["files"],
                row["hashed"],
                in_units(row["bytes"]),
                row["problem"] or "",
            ]
            for row in rows
        ]
        text = (
            columns(table, ["location", "kind", "files", "hashed", "size", "problem"])
            if rows
            else "No locations."
        )
        output.done(rows, text)


@program.command("forget")
@_location_argument
@data_option
@json_option
def forget(location: str, data: Path | None, as_json: bool) -> None:
    """Stop chats from reading a location; recorded results stay."""
    with working_on(data, as_json=as_json) as (output, engine):
        engine.send(ForbidLocation(location))
        output.done({"location": location, "forgotten": True}, f"{location} can no longer be read.")


@program.command("browse")
@click.argument("folder", default="~", help="The folder to look in; by default your home folder.")
@data_option
@json_option
def browse(folder: str, data: Path | None, as_json: bool) -> None:
    """List a folder: its subfolders, and the files that can be used in place, without copying them."""
    with working_on(data, as_json=as_json) as (output, engine):
        rows = engine.read(BrowseFolder(folder))
        table = [
            [
                row["name"] + ("/" if row["is_folder"] else ""),
                "" if row["is_folder"] else in_units(row["size"]),
            ]
            for row in rows
        ]
        output.done(
            rows,
            columns(table, ["name", "size"])
            if rows
            else "This folder contains nothing that can be used in place.",
        )
