"""The options that commands share, and the engine for the data folder that the options name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from engine.cli.cli_context import present
from engine.cli.output import Output
from engine.cli.port import Engine
from engine.config import data_folder
from engine.system.data_folder import require_store

__all__ = [
    "AllowTools",
    "AsJson",
    "BranchEnd",
    "Chat",
    "Data",
    "GiveEnv",
    "Yes",
    "opened",
    "working_on",
]


def _path(text: str) -> Path:
    if not text:
        raise typer.BadParameter("The path is empty")
    return Path(text)


def _or_earlier(context: typer.Context, given: Path | None) -> Path | None:
    """Return the value that was given after the command, or else before it, as in `anabranch --data X ask`."""
    return given if given is not None else context.find_root().params.get("data")


Data: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="<path>",
        parser=_path,
        callback=_or_earlier,
        help="The data folder; by default $ANABRANCH_DATA, or the usual folder on this platform.",
        show_default=False,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
GiveEnv: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="Environment variables that the toolset receives if they are set. It receives no others.",
    ),
]
Chat: TypeAlias = Annotated[str, typer.Argument(help="The chat's id.")]
BranchEnd: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The id of the branch's last message; by default the chat's current message."),
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Agree in advance, without being asked.")]
AllowTools: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--yes",
        help="Do not ask before a tool runs, for the rest of this turn. You are still asked before data is sent.",
    ),
]


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
