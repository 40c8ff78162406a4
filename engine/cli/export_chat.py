"""`anabranch chat export`: writes a chat, a branch or some answers for people who do not have Anabranch."""

import io
import zipfile
from pathlib import Path
from typing import Annotated, cast

import typer

from engine.app.queries.catalog import ExportChat, ExportKind
from engine.cli.options import AsJson, BranchEnd, Chat, Data, working_on
from engine.cli.output import require_folder, write_whole
from engine.errors import Invalid

__all__ = ["export_chat"]

_Answers = Annotated[
    str | None,
    typer.Option(
        metavar="ID,…",
        help="Export only the questions that are answered by these messages (ids, separated by commas).",
    ),
]

_ReportFile = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Export the report built from this file of the chat instead (with --html or --md).",
    ),
]
_Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="The file to write; an existing file is replaced.")
]
_ENDINGS = {"html": ".html", "md": ".md", "notebook": ".ipynb", "sql": ".sql"}


def export_chat(
    chat: Chat,
    html: Annotated[
        bool, typer.Option("--html", help="One page with tables, charts, SQL and sources.")
    ] = False,
    md: Annotated[
        bool, typer.Option("--md", help="A Markdown file with the same content as --html.")
    ] = False,
    notebook: Annotated[bool, typer.Option("--notebook", help="A Jupyter notebook with its data.")] = False,
    sql: Annotated[bool, typer.Option("--sql", help="An SQL script for DuckDB with its data.")] = False,
    answers: _Answers = None,
    message: BranchEnd = None,
    report: _ReportFile = None,
    out: _Out = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write a chat as a file that can be read or run without Anabranch.

    The data of a notebook or script is written to a folder next to it.
    """
    with working_on(data, as_json=as_json) as (output, engine):
        kind = _kind({"html": html, "md": md, "notebook": notebook, "sql": sql})
        if report is not None and kind not in ("html", "md"):
            raise Invalid("export_kind", "A report file can only be written as --html or --md.")
        target = out or Path(f"{Path(report or chat).stem}{_ENDINGS[kind]}")
        require_folder(target)
        wanted = [one.strip() for one in (answers or "").split(",") if one.strip()]
        made = engine.read(ExportChat(chat, kind, wanted, message, report, target.stem))
        files = _written(target, made) if kind in ("notebook", "sql") else _one(target, made)
        size = sum(file.stat().st_size for file in files)
        document = {
            "chat_id": chat,
            "kind": kind,
            "file": str(target),
            "files": [str(file) for file in files],
            "bytes": size,
        }
        output.done(document, f"{target}{_data_files(len(files) - 1)}: {size:,} bytes")


def _data_files(number: int) -> str:
    return f" and {number} data file{'s' * (number > 1)} next to it" if number else ""


def _kind(chosen: dict[str, bool]) -> ExportKind:
    kinds = [kind for kind, is_chosen in chosen.items() if is_chosen]
    if len(kinds) != 1:
        raise Invalid("export_kind", "Choose one of --html, --md, --notebook and --sql.")
    return cast(ExportKind, kinds[0])


def _one(target: Path, content: bytes) -> list[Path]:
    write_whole(target, content)
    return [target]


def _written(target: Path, packed: bytes) -> list[Path]:
    """Unpack the export, and return the written files. The file that uses the data is written last."""
    written = []
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in reversed(archive.namelist()):
            file = target if "/" not in name else target.parent / name
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, archive.read(name))
            written.append(file)
    return written[::-1]
