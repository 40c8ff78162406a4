"""Formats the output of `anabranch why` for people."""

from collections.abc import Sequence
from typing import Any

from engine.app.queries.catalog import Document
from engine.cli.output import columns
from engine.views.inputs import ORIGIN_WORDS

__all__ = ["call_text", "file_text", "number_text", "rows_text"]


def number_text(document: Document) -> str:
    """Return the dossier of a number as text."""
    lines = [f"{document['text']}: {document['status_words']}"]
    if document["rounding"]:
        lines.append(document["rounding"])
    if document["derivation"]:
        operation, formula = document["derivation"]["operation"], document["derivation"]["formula"]
        lines.append(f"{operation.capitalize()}: {formula}")
    if working := document.get("working"):
        lines.append(f"In the model's words: {working['text']}")
        lines += (
            [f"The model's calculation was not accepted: {working['objection']}."]
            if working["objection"]
            else []
        )
    lines += [document["reviewed"]] if document["reviewed"] else []
    lines += _cells("Is in", document["cells"])
    if document["others"]:
        lines += _cells("Other cells with this value", document["others"])
    lines += _cells("The closest values", document["nearest"])
    lines += [f"{at}. {one['told']}" for at, one in enumerate(document["likely"], start=1)]
    lines += [document["maybe"]] if document["maybe"] else []
    lines += _made(document)
    lines.append(f"The answer is event {document['position']}, hash {document['hash'][:12]}.")
    return "\n".join(lines)


def call_text(document: Document) -> str:
    """Return the dossier of a call as text."""
    return "\n".join(_made(document)[1:])


def file_text(document: Document) -> str:
    """Return the dossier of a file as text."""
    lines = [f"{document['path']} {document['sha256'][:12]}, {document['size']:,} bytes"]
    for step in document["steps"]:
        by = f" {step['call_id']}" if step["call_id"] else ""
        lines.append(f"Event {step['position']}: {ORIGIN_WORDS[step['origin']]}{by}")
    return "\n".join([*lines, *(_made(document) if document["call"] is not None else [])])


def _made(document: Document) -> list[str]:
    call = document["call"]
    if call is None:
        return []
    version = f" {call['toolset_version']}" if call["toolset_version"] else ""
    place = f"event {call['position']}, hash {call['hash'][:12]}"
    lines = ["", f"Made by {call['tool_id']}{version}, call {call['id']}, {place}"]
    lines += [f"    {line}" for line in call["program"].splitlines()]
    for file in document["inputs"]:
        lines += _input(file)
    if document["not_counted"] and document["inputs"]:
        lines.append(f"The rows that this call used are not counted: {document['not_counted']}.")
    if (verdict := document["re_run"]) is not None:
        lines.append(f"Run again on {verdict['at'][:10]}: {verdict['verdict'].replace('_', ' ')}")
    return lines


def _input(file: dict[str, Any]) -> list[str]:
    told = f"From {file['path']} {file['sha256'][:8]}"
    if file["origin"]:
        told += f", {ORIGIN_WORDS[file['origin']]}"
    if file["edits_by_hand"]:
        told += (
            f", edited by hand {file['edits_by_hand']} times"
            if file["edits_by_hand"] > 1
            else ", edited by hand once"
        )
    lines = [told + (", changed since" if file["changed"] else "")]
    for one in file["totals"]:
        lines.append(
            f"    {one['table']}: {one['used']:,} of {one['rows']:,} rows used, {one['filtered_out']:,} filtered out"
        )
        lines += [
            f"    {count:,} of the used rows {'has' if count == 1 else 'have'} no value in {name}"
            for name, count in one["empty"].items()
        ]
        lines += [f"    {unread['told']}" for unread in one["unread"]]
        lines += [f"    {name}: {first} to {last}" for name, (first, last) in one["dates"].items()]
    return lines


def rows_text(found: Sequence[Document]) -> str:
    """Return the rows behind the cells of a number as text."""
    lines: list[str] = []
    for one in found:
        cell = one["cell"]
        named = ", ".join(value for value in cell["row"].values() if isinstance(value, str))
        lines += ["", f"Rows behind {cell['column']}{' of ' + named if named else ''}, {cell['value']}:"]
        if one["problem"]:
            lines.append(one["problem"])
        for table in one["tables"]:
            source = f" ({table['path']})" if table["path"] else ""
            told = f"{table['table']}{source}: {table['used']:,} of {table['all']:,} rows"
            if len(table["rows"]) < table["used"]:
                told += f", of which {len(table['rows']):,} are listed"
            lines.append(told)
            if table["rows"]:
                lines.append(columns(table["rows"], table["columns"]))
        lines += one["notes"]
    return "\n".join(lines)


def _cells(title: str, cells: list[dict[str, Any]]) -> list[str]:
    if not cells:
        return []
    rows = [
        (
            cell["result"],
            ", ".join(value for value in cell["row"].values() if isinstance(value, str)),
            cell["column"],
            str(cell["value"]),
        )
        for cell in cells
    ]
    return ["", f"{title}:", columns(rows, ["result", "row", "column", "value"])]
