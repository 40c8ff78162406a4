"""`anabranch log …`: verify, count, follow and export the log."""

import stat
from pathlib import Path
from typing import Annotated

import typer

from engine.app.queries.catalog import CountEvents, ExportLog, TailLog, VerifyLog
from engine.cli.log_keeping import accept, checkpoint, salvage
from engine.cli.options import AsJson, Data, working_on
from engine.cli.output import columns, move_whole, require_folder
from engine.system.private_files import users_mode

__all__ = ["program"]

program = typer.Typer(help="Inspect the event log.", no_args_is_help=True)


@program.command("verify")
def verify(
    against: Annotated[
        Path | None,
        typer.Option(
            help="Also compare the log with this checkpoint, which `log checkpoint` wrote.",
            show_default=False,
        ),
    ] = None,
    other_key: Annotated[
        bool,
        typer.Option(help="The checkpoint was signed on another machine; do not check its signature."),
    ] = False,
    read_events: Annotated[
        bool, typer.Option(help="Also read every event, and list those that this release cannot read.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Recompute the hash chain and report the first event that was changed after it was written."""
    with working_on(data, as_json=as_json) as (output, engine):
        note = None if against is None else against.read_text(encoding="utf-8")
        found = engine.read(VerifyLog(note, other_key, read_events))
        compared, unread = found.get("against"), found.get("unreadable", [])
        lines = [
            f"{found['events']:,} events; the hash chain is intact."
            if found["ok"]
            else f"The hash chain is broken at event {found['first_bad_position']}: {found['problem']}",
            *found["notices"],
        ]
        if compared is not None:
            goes_on = f"The log continues from that checkpoint ({compared['size']:,} events)."
            lines.append(compared["problem"] or goes_on)
        lines += [f"Event {e['position']} ({e['type']}) cannot be read: {e['problem']}." for e in unread]
        ok = found["ok"] and (compared is None or compared["continues"]) and not unread
        output.done(found, "\n".join(lines), 0 if ok else 1)


@program.command("stats")
def stats(data: Data = None, as_json: AsJson = False) -> None:
    """Count events by type and by stream."""
    with working_on(data, as_json=as_json) as (output, engine):
        document = engine.read(CountEvents())
        types, streams = [*document["types"].items()], [*document["streams"].items()]
        text = columns(types, ["type", "events"]) + "\n\n" + columns(streams, ["stream", "events"])
        output.done(document, text)


@program.command("tail")
def tail(
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, help="The number of latest events to show.")
    ] = 20,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print the last events."""
    with working_on(data, as_json=as_json) as (output, engine):
        events = engine.read(TailLog(count))
        rows = [
            [e["position"], e["occurred_at"][:19].replace("T", " "), e["stream"], e["type"], e["hash"][:8]]
            for e in events
        ]
        output.done(events, columns(rows, ["position", "time", "stream", "type", "hash"]))


@program.command("export")
def export(
    file: Annotated[Path, typer.Argument(help="The Parquet file to write.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole log as Parquet."""
    with working_on(data, as_json=as_json) as (output, engine):
        require_folder(file)
        import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

        fresh = not file.exists()
        written = engine.read(ExportLog())
        events = pq.read_metadata(written).num_rows
        mode = users_mode() if fresh else stat.S_IMODE(file.stat().st_mode)
        move_whole(written, file, mode)
        output.done({"events": events, "file": str(file)}, f"{events:,} events written to {file}.")


for keeping in (checkpoint, accept, salvage):
    program.command(keeping.__name__)(keeping)
