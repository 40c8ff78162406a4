"""`anabranch state`, `rebuild`, `doctor`: read models at any position, and health checks."""

from dataclasses import asdict
from pathlib import Path

import click

from engine.app.queries.catalog import Document, ExamineFolder, GetState
from engine.cli.cli_context import present
from engine.cli.local_engine import log_of_faults
from engine.cli.options import data_option, json_option, opened, working_on
from engine.cli.output import Output, columns
from engine.cli.waiting import is_served
from engine.commands.catalog import RebuildReadModels
from engine.config import data_folder

__all__ = ["doctor", "rebuild", "state"]


@click.command()
@click.option("--at", type=int, required=True, help="The position in the log.")
@click.option("--chat", help="Show only this chat.")
@data_option
@json_option
def state(at: int, chat: str | None, data: Path | None, as_json: bool) -> None:
    """Show every read model as of a position in the log."""
    with working_on(data, as_json=as_json) as (output, engine):
        document = engine.read(GetState(at, chat))
        counted = [[name, len(found)] for name, found in document.items() if isinstance(found, list)]
        output.done(document, columns(counted, ["read model", "rows"]))


@click.command()
@data_option
@json_option
def rebuild(data: Path | None, as_json: bool) -> None:
    """Compute every read model again from the log, and compare the result with the previous rows."""
    with working_on(data, as_json=as_json) as (output, engine):
        done = engine.send(RebuildReadModels())
        compared = (
            "the earlier rows could not be read"
            if done.identical is None
            else "identical"
            if done.identical
            else "NOT identical"
        )
        text = f"{done.events:,} events in {done.seconds} s, {compared}."
        output.done(done, text, 1 if done.identical is False else 0)


@click.command()
@data_option
@json_option
def doctor(data: Path | None, as_json: bool) -> None:
    """Check the data folder, the log, the tool processes, and how far this system can confine them."""
    output = Output(as_json=as_json)
    with output.failures():
        checks = _examined(data_folder(data))
        ok = all(check["ok"] for check in checks)
        rows = [["ok" if c["ok"] else "PROBLEM", c["name"], c["detail"]] for c in checks]
        output.done({"ok": ok, "checks": checks}, columns(rows, ["", "check", "detail"]), 0 if ok else 1)


def _examined(folder: Path) -> list[Document]:
    """Return the checks of the running app. If no app is running, run the checks in this process, even if the folder
    cannot be opened.
    """
    if present() is not None or is_served(folder):
        with opened(folder) as engine:
            return engine.read(ExamineFolder())
    from engine.app.doctor import examine  # noqa: PLC0415 - slow to import

    with log_of_faults():
        return [asdict(check) for check in examine(folder)]
