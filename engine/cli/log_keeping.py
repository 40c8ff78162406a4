"""`anabranch log checkpoint`, `accept`, `salvage`: signed states, and recovery from a damaged or replaced log."""

from pathlib import Path

import click

from engine.app.queries.catalog import GetLogState, SignLog
from engine.cli.cli_context import ask, is_interactive
from engine.cli.options import PATH, data_option, json_option, working_on, yes_option
from engine.cli.output import Output, require_folder, write_whole
from engine.commands.catalog import AcceptLog
from engine.config import data_folder
from engine.errors import Refused

__all__ = ["accept", "checkpoint", "salvage"]


@click.command()
@click.argument(
    "file", type=PATH, required=False, help="The file to write; by default the checkpoint is printed."
)
@data_option
@json_option
def checkpoint(file: Path | None, data: Path | None, as_json: bool) -> None:
    """Write a signed checkpoint of the log. Store it on another machine or drive. `log verify --against` compares the
    log with it.
    """
    with working_on(data, as_json=as_json) as (output, engine):
        signed = engine.read(SignLog())
        note = signed.note
        if file is None:
            output.done({"checkpoint": note}, note.rstrip("\n"))
        require_folder(file)
        write_whole(file, note.encode())
        output.done(
            {"checkpoint": note, "file": str(file)},
            f"A signed checkpoint of {signed.events:,} events was written to {file}.",
        )


@click.command()
@yes_option
@data_option
@json_option
def accept(yes: bool, data: Path | None, as_json: bool) -> None:
    """Accept a log that was replaced or that lost events, for instance because you restored a backup, and continue
    from it. The decision is recorded.
    """
    with working_on(data, as_json=as_json) as (output, engine):
        state = engine.read(GetLogState())
        problem = state.problem
        if problem is None:
            output.done(
                {"accepted": False}, "There is no problem with the log, so there is nothing to accept."
            )
        if not yes and not _agreed(output, f"{problem}\nContinue from event {state.head:,}?"):
            raise Refused(
                "log_not_accepted", f"{problem} Nothing was changed; give --yes to agree in advance."
            )
        position = engine.send(AcceptLog())
        if position is None:
            raise Refused("log_not_accepted", problem)
        output.done(
            {"accepted": True, "position": position},
            f"Recorded as event {position:,}. The log continues from there.",
        )


@click.command()
@click.argument("folder", type=PATH, help="The new data folder.")
@data_option
@json_option
def salvage(folder: Path, data: Path | None, as_json: bool) -> None:
    """Recover a damaged log and its files into a new folder, and list what is missing."""
    from engine.app.maintenance.salvage import salvage_into  # noqa: PLC0415 - slow to import

    output = Output(as_json=as_json)
    with output.failures():
        done = salvage_into(data_folder(data), folder.absolute())
        output.done(done, done.text(folder), 0 if done.log.whole else 1)


def _agreed(output: Output, question: str) -> bool:
    return not output.json and is_interactive() and ask("confirm", question) == "y"
