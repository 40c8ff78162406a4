"""`anabranch replay`: runs recorded calls again and compares their results."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from engine.app.queries.catalog import Document, GetReplay
from engine.cli.options import chat_argument, data_option, json_option, message_option, working_on
from engine.cli.output import columns
from engine.cli.port import stoppable
from engine.commands.catalog import ReplayChat, StopTurn
from engine.views.replays import verdict_words

__all__ = ["replay"]

_BAD = ("differs", "not_deterministic", "failed")


@click.command()
@chat_argument
@message_option
@click.option("--call", multiple=True, help="Only this call; repeat for more.")
@click.option(
    "--live", is_flag=True, help="Also run calls that read a source or that use the network or an MCP server."
)
@data_option
@json_option
def replay(
    chat: str, message: str | None, call: tuple[str, ...], live: bool, data: Path | None, as_json: bool
) -> None:
    """Run a branch's recorded calls again, each with its original files and tool.

    Exit code 1 if a call gave a different result or could not run. Only the outcome of the check is recorded; the chat
    itself does not change.
    """
    with working_on(data, as_json=as_json) as (output, engine):
        replay_id = stoppable(
            lambda: engine.send(ReplayChat(chat, message, call, live)),
            lambda _: engine.send(StopTurn(chat)),
        )
        document = engine.read(GetReplay(chat, replay_id))
        counts = Counter(one["verdict"] for one in document["calls"])
        stopped = len(document["calls"]) < document["asked"]
        bad = stopped or counts["differs"] or counts["failed"]
        output.done(document, _text(document, counts), 1 if bad else 0)


def _text(document: Document, counts: Counter[str]) -> str:
    rows = [
        (one["id"], one["tool_id"], verdict_words(one["verdict"]), f"{one['seconds']:.2f} s")
        for one in document["calls"]
    ]
    told = ", ".join(f"{number} {verdict_words(verdict)}" for verdict, number in counts.items())
    calls = f"{len(rows)} call{'' if len(rows) == 1 else 's'}"
    lines = [columns(rows, ["call", "tool", "re-run", "took"]), "", f"{calls}: {told}."]
    if len(rows) < document["asked"]:
        lines.append(f"Stopped after {len(rows)} of {document['asked']}.")
    lines += _why(document["calls"])
    return "\n".join(lines)


def _why(calls: Sequence[Document]) -> list[str]:
    """Return lines about the differences in each call's results, and about the skipped calls."""
    lines: list[str] = []
    told: set[tuple[str, str]] = set()
    for one in calls:
        if one["verdict"] == "identical" and not one["environment"]:
            continue
        same = (one["verdict"], one["reason"])
        reason = "See above." if one["reason"] and same in told else one["reason"]
        told.add(same)
        lines += [
            "",
            f"{one['id']} {one['tool_id']}: {verdict_words(one['verdict'])}. {reason}".rstrip(),
        ]
        lines += [f"  environment: {fact}" for fact in one["environment"]]
        if one["verdict"] in _BAD:
            lines += [
                f"  {d['place'] or 'result'}: {d['before']} → {d['now']}" for d in one["result_diff"][:10]
            ]
            lines += [f"  {f['path']}: {f['what']}" for f in one["file_diff"][:10]]
    return lines
