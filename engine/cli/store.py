"""`anabranch gc` and `anabranch check`: the blobs that are kept."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from engine.cli.options import AsJson, Data, opened
from engine.cli.output import Output

__all__ = ["check", "gc"]


def gc(
    older_than: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Also remove file contents recorded only before so many days that no leaf's files hold.",
            show_default=False,
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Remove contents that no event reaches."""
    output = Output(as_json=as_json)
    before = None if older_than is None else datetime.now(UTC) - timedelta(days=older_than)
    with output.failures(), opened(data) as app:
        done = app.retention.collect(before)
        output.done(done, f"{done.removed:,} contents removed, {done.bytes:,} bytes.")


def check(data: Data = None, as_json: AsJson = False) -> None:
    """Recompute the hash of every content that an event names."""
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as app:
        found = app.retention.check()
        bad = [f"missing  {b.sha256} of chat {b.chat_id}" for b in found.missing]
        bad += [f"damaged  {b.sha256} of chat {b.chat_id}" for b in found.damaged]
        text = "\n".join(bad) or f"{found.blobs:,} contents, all as they were written."
        output.done(found, text, 0 if found.ok else 1)
