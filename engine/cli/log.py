"""`anabranch log …`: verify, count, follow and export the log."""

import stat
from pathlib import Path

import click

from engine.app.queries.catalog import CountEvents, ExportLog, TailLog, VerifyLog
from engine.cli.lazy_group import OrderedGroup
from engine.cli.log_keeping import accept, checkpoint, salvage
from engine.cli.options import PATH, Integer, data_option, json_option, working_on
from engine.cli.output import columns, move_whole, require_folder
from engine.system.private_files import users_mode

__all__ = ["program"]

program = OrderedGroup(help="Inspect the event log.")


@program.command("verify")
@click.option(
    "--against", type=PATH, help="Also compare the log with this checkpoint, which `log checkpoint` wrote."
)
@click.option(
    "--other-key/--no-other-key",
    default=False,
    help="The checkpoint was signed on another machine; do not check its signature.",
)
@click.option(
    "--read-events/--no-read-events",
    default=False,
    help="Also read every event, and list those that this release cannot read.",
)
@data_option
@json_option
def verify(
    against: Path | None, other_key: bool, read_events: bool, data: Path | None, as_json: bool
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
@data_option
@json_option
def stats(data: Path | None, as_json: bool) -> None:
    """Count events by type and by stream."""
    with working_on(data, as_json=as_json) as (output, engine):
        document = engine.read(CountEvents())
        types, streams = [*document["types"].items()], [*document["streams"].items()]
        text = columns(types, ["type", "events"]) + "\n\n" + columns(streams, ["stream", "events"])
        output.done(document, text)


@program.command("tail")
@click.option("--count", "-n", type=Integer(min=1), default=20, help="The number of latest events to show.")
@data_option
@json_option
def tail(count: int, data: Path | None, as_json: bool) -> None:
    """Print the last events."""
    with working_on(data, as_json=as_json) as (output, engine):
        events = engine.read(TailLog(count))
        rows = [
            [e["position"], e["occurred_at"][:19].replace("T", " "), e["stream"], e["type"], e["hash"][:8]]
            for e in events
        ]
        output.done(events, columns(rows, ["position", "time", "stream", "type", "hash"]))


@program.command("export")
@click.argument("file", type=PATH, help="The Parquet file to write.")
@data_option
@json_option
def export(file: Path, data: Path | None, as_json: bool) -> None:
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
    program.add_command(keeping)
