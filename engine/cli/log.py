"""`anabranch log …`: verify, count, follow and export the log."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.cli_context import here
from engine.cli.options import AsJson, Data, opened
from engine.cli.output import Output, columns, require_folder
from engine.config import config_folder
from engine.system.private_files import users_mode

if TYPE_CHECKING:
    from engine.app.app import App
    from events.event import Recorded

__all__ = ["event_document", "program"]

program = typer.Typer(help="Look into the event log.", no_args_is_help=True)


@program.command("verify")
def verify(
    against: Annotated[
        Path | None,
        typer.Option(
            help="Also hold the log against this checkpoint, which `log checkpoint` wrote.",
            show_default=False,
        ),
    ] = None,
    other_key: Annotated[
        bool,
        typer.Option(help="The checkpoint was signed on another machine: its signature is not checked."),
    ] = False,
    read_events: Annotated[
        bool, typer.Option(help="Also read every event, and name those that this release cannot read.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Recompute the hash chain and name the first event that is not as it was written."""
    from engine.maintenance.checkpoints import compare, signing_key  # noqa: PLC0415 - as in `options.opened`

    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        found = app.log.verify()
        lines = [
            f"{found.events:,} events, the chain holds."
            if found.ok
            else f"Broken at {found.first_bad_position}: {found.problem}",
            *(notices := [*app.upkeep.notices(), *(_mended_copy(app) if found.ok else [])]),
        ]
        document: dict[str, Any] = asdict(found) | {"notices": notices}
        ok = found.ok
        if against is not None:
            note = here(against).read_text(encoding="utf-8")
            compared = compare(app.reads, note, None if other_key else signing_key(config_folder()))
            document["against"] = compared
            lines.append(compared.problem or f"It goes on from the checkpoint of {compared.size:,} events.")
            ok = ok and compared.continues
        if read_events:
            unread = _unreadable(app)
            document["unreadable"] = unread
            lines += [f"Event {e['position']} ({e['type']}) cannot be read: {e['problem']}." for e in unread]
            ok = ok and not unread
        output.done(document, "\n".join(lines), 0 if ok else 1)


def _mended_copy(app: "App") -> list[str]:
    mended = app.upkeep.mend_copy()
    return (
        ["Part of the second copy of the log was damaged. It was rewritten from the database."]
        if mended
        else []
    )


def _unreadable(app: "App") -> list[dict[str, Any]]:
    from events.event import UnreadableEvent  # noqa: PLC0415 - as in `options.opened`

    return [
        {"position": e.position, "type": e.event.type, "problem": e.event.problem}
        for e in app.log.read_all()
        if isinstance(e.event, UnreadableEvent)
    ]


@program.command("stats")
def stats(data: Data = None, as_json: AsJson = False) -> None:
    """Count events by type and by stream."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        with app.reads.reader() as cursor:
            types = cursor.execute(
                "SELECT type, count(*) FROM event_log GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()
            streams = cursor.execute(
                "SELECT stream, count(*) FROM event_log GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()
        document = {"events": app.log.head(), "types": dict(types), "streams": dict(streams)}
        text = columns(types, ["type", "events"]) + "\n\n" + columns(streams, ["stream", "events"])
        output.done(document, text)


@program.command("tail")
def tail(
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many of the last events.")] = 20,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print the last events."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        events = list(app.log.read_all(after=max(0, app.log.head() - count)))
        rows = [
            [e.position, f"{e.occurred_at:%Y-%m-%d %H:%M:%S}", e.stream, e.event.type, e.hash[:8]]
            for e in events
        ]
        output.done(
            [event_document(e) for e in events], columns(rows, ["position", "time", "stream", "type", "hash"])
        )


@program.command("export")
def export(
    file: Annotated[Path, typer.Argument(help="The Parquet file to write.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole log as Parquet."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        require_folder(file)
        target = here(file)
        fresh = not target.exists()
        events = app.reads.export(target)
        if fresh:
            target.chmod(users_mode())
        output.done({"events": events, "file": str(file)}, f"{events:,} events written to {file}.")


def event_document(recorded: "Recorded") -> dict[str, Any]:
    """Return an event as it is told to others."""
    return {
        "position": recorded.position,
        "stream": recorded.stream,
        "version": recorded.version,
        "event_id": recorded.event_id,
        "type": recorded.event.type,
        "occurred_at": recorded.occurred_at,
        "correlation_id": recorded.correlation_id,
        "causation_id": recorded.causation_id,
        "payload": recorded.event.payload(),
        "hash": recorded.hash,
    }
