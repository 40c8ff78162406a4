"""`anabranch chat export`: writes a chat, a branch or some answers for people who do not have Anabranch."""

import io
import zipfile
from pathlib import Path
from typing import cast

import click

from engine.app.queries.catalog import ExportChat, ExportKind
from engine.cli.options import PATH, chat_argument, data_option, json_option, message_option, working_on
from engine.cli.output import require_folder, write_whole
from engine.errors import Invalid

__all__ = ["export_chat"]


_ENDINGS = {"html": ".html", "md": ".md", "notebook": ".ipynb", "sql": ".sql"}


@click.command("export")
@chat_argument
@click.option("--html", is_flag=True, help="One page with tables, charts, SQL and sources.")
@click.option("--md", is_flag=True, help="A Markdown file with the same content as --html.")
@click.option("--notebook", is_flag=True, help="A Jupyter notebook with its data.")
@click.option("--sql", is_flag=True, help="An SQL script for DuckDB with its data.")
@click.option(
    "--answers",
    metavar="ID,…",
    help="Export only the questions that are answered by these messages (ids, separated by commas).",
)
@message_option
@click.option(
    "--report",
    metavar="PATH",
    help="Export the report built from this file of the chat instead (with --html or --md).",
)
@click.option("--out", "-o", type=PATH, help="The file to write; an existing file is replaced.")
@data_option
@json_option
def export_chat(
    chat: str,
    html: bool,
    md: bool,
    notebook: bool,
    sql: bool,
    answers: str | None,
    message: str | None,
    report: str | None,
    out: Path | None,
    data: Path | None,
    as_json: bool,
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
