"""`anabranch why`: shows where a number, a call's result or a file came from, and the rows behind a number."""

from pathlib import Path
from typing import Any

import click

from engine.app.queries.catalog import Document, ExplainCall, ExplainFile, ExplainNumber, ExportRows, FindRows
from engine.cli.options import PATH, Integer, data_option, json_option, working_on
from engine.cli.output import require_folder, write_whole
from engine.cli.port import Engine
from engine.cli.why_text import call_text, file_text, number_text, rows_text
from engine.errors import AnabranchError, Invalid, NotFound

__all__ = ["why"]


@click.command()
@click.argument(
    "what",
    help="MESSAGE_ID:N, the N-th traced number of an answer (`ask --json` lists them); CALL_ID; or "
    "CHAT_ID:PATH, a file of a chat.",
)
@click.option(
    "--rows", is_flag=True, help="Also list the input rows behind each cell that the number comes from."
)
@click.option(
    "--limit",
    type=Integer(min=1, max=1_000),
    default=20,
    help="With --rows: how many rows of each input to list.",
)
@click.option(
    "--offset",
    type=Integer(min=0),
    default=0,
    help="With --rows: how many rows to skip before the first one listed.",
)
@click.option(
    "--csv",
    type=PATH,
    help="With --rows: also write all rows to this CSV file, at most a million of each input. With several inputs "
    "or cells, the files are numbered.",
)
@data_option
@json_option
def why(
    what: str, rows: bool, limit: int, offset: int, csv: Path | None, data: Path | None, as_json: bool
) -> None:
    """Show where a number, a call's result or a file came from: cells, formula, SQL or code, files, log.

    The numbers of an answer are counted from 1. Dates, names and the like are not traced, so they have no number.
    Exit code 1 if the number is not in any result, or with --rows if no rows can be shown.
    """
    with working_on(data, as_json=as_json) as (output, engine):
        before, mark, after = what.strip().partition(":")
        if not mark:
            _no_rows(rows or csv is not None)
            document = engine.read(ExplainCall(before))
            output.done(document, call_text(document))
        if not (after.isascii() and after.isdigit() and len(after) <= 6):
            _no_rows(rows or csv is not None)
            _require_path(what, after)
            document = engine.read(ExplainFile(before, after))
            output.done(document, file_text(document))
        document = engine.read(ExplainNumber(before, int(after)))
        text, code = number_text(document), 1 if document["status"] == "unbacked" else 0
        if rows or csv is not None:
            found = _rows(engine, document["cells"], limit, offset)
            written = _written(engine, found, csv) if csv is not None else []
            document = {**document, "rows": found, "files": written}
            text = "\n".join([text, rows_text(found), *(f"Wrote {name}" for name in written)])
            code = code or int(not any(one["problem"] is None for one in found))
        output.done(document, text, code)


def _require_path(what: str, path: str) -> None:
    if not path:
        raise Invalid("not_a_number", f"{what!r} is not valid. Give MESSAGE_ID:N, for example 0190…:2.")


def _no_rows(wanted: bool) -> None:
    if wanted:
        raise Invalid("rows_of_numbers", "--rows and --csv are only for numbers: give MESSAGE_ID:N.")


def _rows(engine: Engine, cells: list[dict[str, Any]], limit: int, offset: int) -> list[Document]:
    """Return the rows behind each cell, or the reason why they cannot be shown."""
    found = []
    for cell in cells:
        told: Document = {"cell": cell, "problem": None, "value": cell["value"], "tables": [], "notes": []}
        if cell["call_id"] is None:
            told["problem"] = "No call made this value, so there are no rows behind it."
        else:
            try:
                asked = FindRows(cell["call_id"], cell["row_index"], cell["column"], limit, offset)
                behind: Document = engine.read(asked)
                told |= behind
            except AnabranchError as error:
                told["problem"] = error.message
        found.append(told)
    return found


def _written(engine: Engine, found: list[Document], target: Path) -> list[str]:
    """Write one file for each cell and input, with the input's rows behind the cell; return the names of the files."""
    require_folder(target)
    wanted = [(one["cell"], table["table"]) for one in found for table in one["tables"]]
    if not wanted:
        raise NotFound("no_rows", "There are no rows to write, because none can be shown for this number.")
    names = []
    for at, (cell, table) in enumerate(wanted, start=1):
        file = target if len(wanted) == 1 else target.with_name(f"{target.stem}-{at}{target.suffix}")
        write_whole(file, engine.read(ExportRows(cell["call_id"], cell["row_index"], cell["column"], table)))
        names.append(str(file))
    return names
