"""`anabranch compare`: shows how two branches, two moments or two chats differ."""

import difflib
from pathlib import Path

import click

from engine.app.queries.catalog import CompareSides, Document
from engine.cli.options import data_option, json_option, working_on
from engine.cli.output import columns

__all__ = ["compare"]

_MOST = 20
"""The maximum number of numbers and rows that are listed. `--json` lists more."""
_LINES = 500
"""The maximum number of lines of a program whose differences are printed."""


@click.command()
@click.argument("a", help="The first chat: CHAT, CHAT@MESSAGE_ID, CHAT@POSITION or CHAT@MOMENT.")
@click.argument("b", help="The second chat, in any of the same forms.")
@data_option
@json_option
def compare(a: str, b: str, data: Path | None, as_json: bool) -> None:
    """Compare two branches, two moments of a chat, or two chats.

    Lists the numbers that changed, the table rows that were added, removed or changed, and the differences in SQL,
    files and calls. The exit code is 0 whether or not something differs.
    """
    with working_on(data, as_json=as_json) as (output, engine):
        document = engine.read(CompareSides(a, b))
        output.done(document, _text(document))


def _text(document: Document) -> str:
    lines = [document["told"]]
    if document["parted_after"] is not None:
        lines.append(f"They diverge after: {_short(document['parted_after'])}")
    for title, side in (("A", document["a"]), ("B", document["b"])):
        lines += ["", f"{title}: {_short(side['answer']) or 'No answer yet.'}"]
    for part in (_numbers, _tables, _sql, _files):
        lines += part(document)
    return "\n".join(lines)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


def _numbers(document: Document) -> list[str]:
    found = document["numbers"]
    if not found:
        return []
    rows = [(one["label"], one["a"], one["b"], f"{one['change']:+g}") for one in found[:_MOST]]
    more = [f"{len(found) - _MOST} more numbers changed; --json lists them."] if len(found) > _MOST else []
    return ["", columns(rows, ["number", "A", "B", "B − A"]), *more]


def _tables(document: Document) -> list[str]:
    lines = []
    for table in document["tables"]:
        if table["verdict"] == "identical":
            continue
        only = {"a": "only in A", "b": "only in B"}.get(table["only_in"])
        lines.append(f"Table {table['name']}: {only or table.get('problem') or table['told']}.")
    return ["", *lines] if lines else []


def _sql(document: Document) -> list[str]:
    lines = []
    for text in document["sql"]:
        before, after = ((text[side] or "").splitlines() for side in ("before", "after"))
        lines += ["", f"{text['name']} ({text['language']})"]
        if max(len(before), len(after)) > _LINES:
            lines.append(f"{len(before)} lines in A, {len(after)} in B; use --json to print both.")
        else:
            lines += list(difflib.unified_diff(before, after, "A", "B", lineterm=""))[2:]
    return lines


def _files(document: Document) -> list[str]:
    words = {
        "added": "only in B",
        "removed": "only in A",
        "changed": "changed",
        "equal": "same rows, stored differently",
    }
    lines = [f"File {file['path']}: {words[file['what']]}." for file in document["files"]]
    return ["", *lines] if lines else []
