"""`anabranch state`, `rebuild`, `doctor`: what the log says now or said then, and whether all is well."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import AsJson, Data, is_served, opened
from engine.cli.output import Output, columns
from engine.config import data_folder

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["doctor", "rebuild", "state"]


def state(
    at: Annotated[int, typer.Option(help="The position of the log.")],
    chat: Annotated[str | None, typer.Option(help="Only this chat.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show every read model as it was at a position."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        document = app.past.state(at, chat)
        counted = [[name, len(found)] for name, found in document.items() if isinstance(found, list)]
        output.done(document, columns(counted, ["read model", "rows"]))


def rebuild(data: Data = None, as_json: AsJson = False) -> None:
    """Drop every read model, compute it again from the log, and compare."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        before = _registers(app)
        began = time.monotonic()
        app.reads.rebuild()
        seconds = round(time.monotonic() - began, 3)
        identical = None if before is None else app.reads.registers() == before
        document = {"events": app.log.head(), "seconds": seconds, "identical": identical}
        compared = (
            "the rows before could not be read"
            if identical is None
            else "identical"
            if identical
            else "NOT identical"
        )
        output.done(
            document, f"{app.log.head():,} events in {seconds} s, {compared}.", 1 if identical is False else 0
        )


def _registers(app: "App") -> dict[str, list[tuple[Any, ...]]] | None:
    """The rows of the read models; None where they cannot be read any more, which is what `rebuild` is for."""
    import duckdb  # noqa: PLC0415 - as in `options.opened`

    try:
        return app.reads.registers()
    except duckdb.Error:
        return None


def doctor(data: Data = None, as_json: AsJson = False) -> None:
    """Check the data folder, the log, the tool processes and what this system can enforce."""
    from engine.app.doctor import examine  # noqa: PLC0415 - as in `options.opened`

    output = Output(as_json=as_json)
    with output.failures():
        folder: Path = data_folder(data)
        if is_served(folder):
            with opened(data) as app:
                checks = examine(folder, app)
        else:
            checks = examine(folder)
        ok = all(check.ok for check in checks)
        rows = [["ok" if c.ok else "PROBLEM", c.name, c.detail] for c in checks]
        output.done({"ok": ok, "checks": checks}, columns(rows, ["", "check", "detail"]), 0 if ok else 1)
