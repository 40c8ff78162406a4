"""Options of every command, and the engine for the data folder that they name."""

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from engine.cli.cli_context import present, say
from engine.cli.output import Output
from engine.cli.port import Engine, OpenEngine
from engine.config import data_folder
from engine.system.data_folder import require_store
from engine.system.data_folder_lock import holder, is_held

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = [
    "AsJson",
    "BranchEnd",
    "Chat",
    "Data",
    "GiveEnv",
    "Yes",
    "is_served",
    "opened",
    "opened_app",
    "working_on",
]

Data: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The data folder; by default ANABRANCH_DATA, or the platform's usual place.",
        show_default=False,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
GiveEnv: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="Environment variables that it receives if they are set; it receives no others.",
    ),
]
Chat: TypeAlias = Annotated[str, typer.Argument(help="The chat's id.")]
BranchEnd: TypeAlias = Annotated[
    str | None, typer.Option(help="The end of the branch; by default the chat's current position.")
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Answer yes to every question.")]


@contextmanager
def working_on(data: Path | None, *, as_json: bool, makes: bool = False) -> Iterator[tuple[Output, Engine]]:
    """The output of a command and the engine of its data folder, see `opened`; errors of the block are printed."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data, makes=makes) as engine:
        yield output, engine


@contextmanager
def opened(data: Path | None, *, makes: bool = False) -> Iterator[Engine]:
    """The engine of the data folder, for the length of the block; `makes` a folder if there is none.

    If a running app serves the folder, it is that app's engine.

    Raises:
        NotFound: there is no data in the folder (`data_not_found`).
        Unavailable, Refused: the running app cannot be reached, or does not take commands from here.
    """
    if caller := present():
        yield caller.engine
    elif is_served(folder := data_folder(data)):
        from engine.cli.remote_engine import remote_engine  # noqa: PLC0415 - as below

        with remote_engine(folder) as engine:
            yield engine
    else:
        with opened_app(folder, makes=makes) as app:
            yield OpenEngine(app)


@contextmanager
def opened_app(folder: Path, *, makes: bool = False) -> "Iterator[App]":
    """The app on a data folder that no other process serves, for the length of the block.

    Raises:
        NotFound: there is no data in the folder, and `makes` is False (`data_not_found`).
    """
    if not makes:
        require_store(folder)
    from engine.app.app import open_app  # noqa: PLC0415 - half a second that `--help` need not wait for

    with _log_of_faults(), open_app(folder) as app:
        for notice in app.upkeep.notices():  # the next start does not find it any more
            say("stderr", f"{notice}\n")
        yield app


def is_served(folder: Path) -> bool:
    """Whether a running app serves this folder."""
    known = holder(folder) if is_held(folder) else None
    return bool(known and known.address)


class _OwnFile(logging.FileHandler):
    """A log in a folder that all users share: private, and never written through a link of another user."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding=self.encoding)


@contextmanager
def _log_of_faults() -> Iterator[None]:
    """Tracebacks of our own faults go into a file, made when there is one; the terminal gets the one line."""
    log = logging.getLogger("anabranch")
    place = Path(tempfile.gettempdir()) / f"anabranch-{os.getpid()}.log"
    faults = _OwnFile(place, encoding="utf-8", delay=True)
    log.addHandler(faults)
    propagated, log.propagate = log.propagate, False
    try:
        yield
    finally:
        log.propagate = propagated
        log.removeHandler(faults)
        faults.close()
