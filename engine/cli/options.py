"""Options that every command has, and opening the data folder that they name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from engine.config import data_folder

if TYPE_CHECKING:
    from engine.app import App

__all__ = ["AsJson", "Data", "Yes", "opened"]

Data: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data", help="The data folder; else ANABRANCH_DATA, else the platform's.", show_default=False
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Agree in advance to what would be asked.")]


@contextmanager
def opened(data: Path | None) -> "Iterator[App]":
    """The app on the data folder, for the length of the block."""
    from engine.app import open_app  # noqa: PLC0415 - half a second that `--help` need not wait for

    with open_app(data_folder(data)) as app:
        yield app
