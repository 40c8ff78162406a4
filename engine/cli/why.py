"""`anabranch why`: where a number of an answer came from."""

from typing import Annotated, Any

import typer

from engine.app.queries.catalog import Document, ExplainNumber
from engine.cli.options import AsJson, Data, opened
from engine.cli.output import Output, columns
from engine.errors import Invalid
from engine.views.dossier import STATUS_WORDS

__all__ = ["why"]


def why(
    number: Annotated[
        str,
        typer.Argument(help="MESSAGE_ID:N, the N-th traced number of an answer; `ask --json` lists them."),
    ],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show where a number of an answer came from: its cells, how it was computed, the call, the files, the log.

    Numbers count from 1; dates, names and the like, which are not traced, are left out. Exit code 1 if the number is
    in no result.
    """
    output = Output(as_json=as_json)
    with output.failures(), opened(data) as engine:
        document = engine.read(ExplainNumber(*_named(number)))
        output.done(document, _text(document), 1 if document["status"] == "unbacked" else 0)


def _named(text: str) -> tuple[str, int]:
    message_id, mark, place = text.strip().partition(":")
    if not mark or not place.isascii() or not place.isdigit() or len(place) > 6:
        raise Invalid("not_a_number", f"{text!r} is not valid. Write MESSAGE_ID:N, for example 0190…:2.")
    return message_id, int(place)


def _text(document: Document) -> str:
    lines = [f"{document['text']}: {STATUS_WORDS[document['status']]}"]
    if document["rounding"]:
        lines.append(document["rounding"])
    if document["derivation"]:
        lines.append(
            f"{document['derivation']['operation'].capitalize()}: {document['derivation']['formula']}"
        )
    lines += _cells("Stands in", document["cells"])
    if document["others"]:
        lines += _cells("Other cells with this value", document["others"])
    lines += _cells("The closest values", document["nearest"])
    if (call := document["call"]) is not None:
        version = f" {call['toolset_version']}" if call["toolset_version"] else ""
        lines += ["", f"Made by {call['tool_id']}{version}, call {call['id']}, event {call['position']}"]
        lines += [f"    {line}" for line in call["program"].splitlines()]
    for file in document["inputs"]:
        changed = ", changed since" if file["changed"] else ""
        lines.append(f"From {file['path']} {file['sha256'][:8]}{changed}")
    if (verdict := document["re_run"]) is not None:
        lines.append(f"Run again on {verdict['at'][:10]}: {verdict['verdict'].replace('_', ' ')}")
    lines.append(f"The answer is event {document['position']}.")
    return "\n".join(lines)


def _cells(title: str, cells: list[dict[str, Any]]) -> list[str]:
    if not cells:
        return []
    rows = [
        (
            cell["result"],
            _row(cell["row"]),
            cell["column"],
            str(cell["value"]),
        )
        for cell in cells
    ]
    return ["", f"{title}:", columns(rows, ["result", "row", "column", "value"])]


def _row(row: dict[str, Any]) -> str:
    return ", ".join(value for value in row.values() if isinstance(value, str))
