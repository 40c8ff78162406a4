"""Options that every command has, and opening the data folder that they name."""

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from engine.cli.cli_context import present
from engine.config import data_folder
from engine.system.data_folder import require_store
from engine.system.data_folder_lock import holder, is_held

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["AsJson", "Data", "GiveEnv", "Yes", "is_served", "opened"]

Data: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data", help="The data folder; else ANABRANCH_DATA, else the platform's.", show_default=False
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
GiveEnv: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…", help="Variables of this machine that it is given where they are set; no others are."
    ),
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Agree in advance to what would be asked.")]


@contextmanager
def opened(data: Path | None, *, makes: bool = False) -> "Iterator[App]":
    """The app on the data folder, for the length of the block; `makes` a folder where there is none.

    Where another process serves it, that one is asked to run the whole command, and this one ends as that did.

    Raises:
        NotFound: there is no data in the folder (`data_not_found`).
    """
    if caller := present():
        yield caller.app
        return
    folder = data_folder(data)
    if is_served(folder):
        from engine.cli.remote_client import run_there  # noqa: PLC0415 - as below

        raise typer.Exit(run_there(folder))
    if not makes:
        require_store(folder)
    from engine.app.app import open_app  # noqa: PLC0415 - half a second that `--help` need not wait for

    with _log_of_faults(), open_app(folder) as app:
        yield app


def is_served(folder: Path) -> bool:
    """Whether a running app serves this folder, be it the one in which this command runs."""
    if present() is not None:
        return True
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
