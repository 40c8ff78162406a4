"""`anabranch gc` and `anabranch check`: remove or check stored content."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from engine.app.queries.catalog import CheckContents, Document
from engine.cli.options import Number, data_option, json_option, opened, working_on
from engine.cli.output import Output
from engine.commands.catalog import CollectContents
from engine.tools.shaping.writing import counted

__all__ = ["check", "gc"]


@click.command()
@click.option(
    "--older-than",
    type=Number(min=0),
    help="Also remove content that was last recorded more than this many days ago and that no branch's "
    "current files use.",
)
@click.option(
    "--unexplained",
    multiple=True,
    metavar="NAME",
    help="Also remove this item that the log does not explain. `gc` prints the names of such items.",
)
@data_option
@json_option
def gc(older_than: float | None, unexplained: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    """Remove stored content that no event refers to.

    Some items are listed but not removed, because the log does not explain where they came from: chats and toolsets
    that are not in the log, and content that was written at a time when no turn or call of its chat was running. They
    may belong to another log that was in this folder.
    """
    output = Output(as_json=as_json)
    before = None if older_than is None else _days_ago(older_than)
    with output.failures(), opened(data) as engine:
        done = engine.send(CollectContents(before, unexplained))
        lines = [f"{counted(done.removed, 'stored item')} removed, {counted(done.bytes, 'byte')}."]
        if done.unexplained:
            lines += ["", "Nothing in this log shows where these items came from, so they were not removed:"]
            lines += [f"  {one}" for one in done.unexplained]
            lines.append(
                "Keep them if another log was in this folder. To remove one: `anabranch gc --unexplained NAME`."
            )
        output.done(done, "\n".join(lines))


@click.command()
@data_option
@json_option
def check(data: Path | None, as_json: bool) -> None:
    """Check stored content and toolset files against their recorded hashes."""
    with working_on(data, as_json=as_json) as (output, engine):
        found = engine.read(CheckContents())
        bad = [f"missing  {b['sha256']} of chat {b['chat_id']}" for b in found["missing"]]
        bad += [f"damaged  {b['sha256']} of chat {b['chat_id']}" for b in found["damaged"]]
        files = found["bad_files"]
        bad += [f"{f['what']:<8} {f['path']} of toolset {f['toolset_id']} {f['version']}" for f in files]
        if files:
            bad.append("`anabranch toolset restore ID` restores the files of an installed toolset.")
        counted = f"{found['blobs']:,} stored items and {found['toolset_files']:,} toolset files"
        lines = bad or [f"{counted}, all unchanged since they were written."]
        lines += _removed(found["removed"])
        output.done(found, "\n".join(lines), 0 if found["ok"] else 1)


def _days_ago(days: float) -> datetime:
    try:
        return datetime.now(UTC) - timedelta(days=days)
    except OverflowError:  # earlier than year 1, so no content is that old
        return datetime.min.replace(tzinfo=UTC)
    except ValueError:
        raise click.BadParameter(
            "Give the days as a number, such as 30 or 0.5.", param_hint="--older-than"
        ) from None


def _removed(removed: Sequence[Document]) -> list[str]:
    """Return sentences about how many stored items were removed on purpose."""
    counts = Counter(one["why"] for one in removed)
    told = [(counts["retention"], "by `gc --older-than`"), (counts["chat deleted"], "with deleted chats")]
    return [f"{counted(number, 'stored item')} removed {how}." for number, how in told if number]
