"""The options that commands share, and the engine for the data folder that the options name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from engine.cli.cli_context import present
from engine.cli.output import Output
from engine.cli.port import Engine
from engine.config import data_folder
from engine.system.data_folder import require_store

__all__ = [
    "PATH",
    "Integer",
    "Number",
    "allow_tools_option",
    "chat_argument",
    "data_option",
    "give_env_option",
    "json_option",
    "message_option",
    "opened",
    "unused_data_option",
    "working_on",
    "yes_option",
]

PATH = click.Path(path_type=Path)
"""The type of an option or argument that names a file or folder, which need not exist."""
_DATA_HELP = "The data folder; by default $ANABRANCH_DATA, or the usual folder on this platform."


class Integer(click.IntRange):
    """A whole number between two limits. Click calls it an "integer range" in help and errors."""

    name = "integer"


class Number(click.FloatRange):
    """A number between two limits. Click calls it a "float range" in help and errors."""

    name = "number"


def _path(text: str) -> Path:
    if not text:
        raise click.BadParameter("The path is empty")
    return Path(text)


def _or_earlier(context: click.Context, _: click.Parameter, given: Path | None) -> Path | None:
    """Return the value that was given after the command, or else before it, as in `anabranch --data X ask`."""
    return given if given is not None else context.find_root().params.get("data")


data_option = click.option("--data", type=_path, metavar="PATH", callback=_or_earlier, help=_DATA_HELP)
unused_data_option = click.option("--data", type=_path, metavar="PATH", expose_value=False, help=_DATA_HELP)
"""The option of a command that needs no data. Every command accepts `--data`."""
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)
give_env_option = click.option(
    "--give-env",
    metavar="NAME,…",
    help="Environment variables that the toolset receives if they are set. It receives no others.",
)
chat_argument = click.argument("chat", help="The chat's id.")
message_option = click.option(
    "--message", help="The id of the branch's last message; by default the chat's current message."
)
yes_option = click.option("--yes", is_flag=True, help="Agree in advance, without being asked.")
allow_tools_option = click.option(
    "--yes",
    is_flag=True,
    help="Do not ask before a tool runs, for the rest of this turn. You are still asked before data is sent.",
)


@contextmanager
def working_on(data: Path | None, *, as_json: bool, makes: bool = False) -> Iterator[tuple[Output, Engine]]:
    """Yield a command's output and the engine of its data folder; see `opened`. Print errors that the block raises."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data, makes=makes) as engine:
        yield output, engine


@contextmanager
def opened(data: Path | None, *, makes: bool = False) -> Iterator[Engine]:
    """Yield the engine of the data folder. With `makes`, a missing folder is created.

    If a running app serves the folder, yield the engine of that app.

    Raises:
        NotFound: there is no data in the folder (`data_not_found`).
        Unavailable, Refused: the running app cannot be reached, or does not accept commands from here.
    """
    if caller := present():
        yield caller.engine
        return
    from engine.cli.folder_engine import FolderEngine, served_engine  # noqa: PLC0415 - not for `--help`

    folder = data_folder(data)
    served = served_engine(folder)
    if served is None and not makes:
        require_store(folder)
    with closing(FolderEngine(folder, served)) as engine:
        yield engine
