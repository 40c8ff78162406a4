"""`anabranch serve`: starts the app."""

from pathlib import Path

import click

from engine.cli.options import Integer, data_option
from engine.cli.output import Output
from engine.config import data_folder

__all__ = ["serve"]


@click.command()
@data_option
@click.option(
    "--port",
    type=Integer(min=1, max=65_535),
    default=8501,
    envvar="ANABRANCH_PORT",
    show_envvar=True,
    help="The port on 127.0.0.1.",
)
@click.option("--browser/--no-browser", default=False, help="Open the page in a browser.")
def serve(data: Path | None, port: int, browser: bool) -> None:
    """Serve the app on this machine and print its address."""
    from engine.cli.serving import serve_page  # noqa: PLC0415 - slow to import

    with Output(as_json=False).failures():
        serve_page(data_folder(data), port, browser=browser)
