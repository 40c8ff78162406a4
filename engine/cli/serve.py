"""`anabranch serve`: starts the app."""

from typing import Annotated

import typer

from engine.cli.options import Data
from engine.cli.output import Output
from engine.config import data_folder

__all__ = ["serve"]


def serve(
    data: Data = None,
    port: Annotated[
        int, typer.Option(min=1, max=65_535, help="The port on 127.0.0.1.", envvar="ANABRANCH_PORT")
    ] = 8501,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = False,
) -> None:
    """Serve the app on this machine and print its address."""
    from engine.cli.serving import serve_page  # noqa: PLC0415 - slow to import

    with Output(as_json=False).failures():
        serve_page(data_folder(data), port, browser=browser)
