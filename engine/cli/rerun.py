"""`anabranch rerun`: runs the same analysis on new data, or with a changed call, without a model. Made for cron."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from engine.app.queries.catalog import Document, GetRerun, PreviewRerun
from engine.cli.ask import checked_uploads
from engine.cli.options import data_option, json_option, message_option, opened
from engine.cli.output import Output, columns
from engine.cli.pinned import check_pinned
from engine.cli.port import Engine, stoppable
from engine.commands.catalog import RerunChat, StopTurn, Upload
from engine.errors import Invalid

__all__ = ["rerun"]

_SHORT = ("failed", "not reached")
"""The statuses of calls which show that a run did not reach its end."""
_MOVED = 4
"""The exit code if a result or number moved."""


@click.command()
@click.argument(
    "chat",
    required=False,
    help="The chat's id. With --pinned, only the answers pinned in this chat are checked.",
)
@click.option(
    "--file",
    multiple=True,
    metavar="NAME=PATH",
    help="Use this file in place of the branch's file NAME; repeat for more.",
)
@click.option(
    "--column",
    multiple=True,
    metavar="OLD=NEW",
    help="Read the new file's column NEW as OLD, which the calls use; repeat for more. "
    "With several files: NAME:OLD=NEW.",
)
@click.option("--call", help="Change this call, and run it and all later calls.")
@click.option("--args", help="The new arguments of that call, as a JSON object.")
@message_option
@click.option("--live", is_flag=True, help="Also run calls that reach the network or an MCP server.")
@click.option(
    "--anyway", is_flag=True, help="Run even if a new file lacks columns that calls use, or is not a table."
)
@click.option(
    "--check",
    "dry_run",
    is_flag=True,
    help="Only check whether the new files have the columns that calls use; no call runs.",
)
@click.option(
    "--pinned",
    is_flag=True,
    help="Run the calls of pinned answers (standing questions) again, with the current files of their chats.",
)
@data_option
@json_option
def rerun(
    chat: str | None,
    file: tuple[str, ...],
    column: tuple[str, ...],
    call: str | None,
    args: str | None,
    message: str | None,
    live: bool,
    anyway: bool,
    dry_run: bool,
    pinned: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Run a branch's calls again on a new branch, with other files or a changed call.

    No model is asked, but sources are queried again.

    With --pinned, run the calls of pinned answers again; runs with the same results leave no branch.

    If a new file cannot be read, or lacks a column that calls use, nothing runs and the chat stays as it is.

    Exit code 0: no result changed. 4: a result or a number changed. 1: a call failed or was not reached, or a new
    file does not fit.
    """
    output = Output(as_json=as_json)
    with output.failures():
        if pinned:
            _require_alone(file, column, call, args, message, live, anyway, dry_run)
            check_pinned(output, data, chat)
        if chat is None:
            raise Invalid("rerun_what", "Name a chat, or give --pinned to check the standing questions.")
        uploads = [_upload(one) for one in file]
        names = _column_names(column, [upload.name for upload in uploads])
        command = RerunChat(chat, message, uploads, names, call, _arguments(call, args), live, anyway)
        with opened(data) as engine:
            _run(output, engine, command, dry_run=dry_run)


def _run(output: Output, engine: Engine, command: RerunChat, *, dry_run: bool) -> NoReturn:
    """Compare the columns of the new files, run the calls, and print the outcome of both steps."""
    chat = command.chat_id
    preview = PreviewRerun(chat, command.files, command.message_id, command.columns)
    changes = engine.read(preview) if command.files else []
    if dry_run:
        output.done(changes, "\n".join(_columns(changes)), 0 if all(one["fits"] for one in changes) else 1)
    if any(one["blocks"] for one in changes) and not command.anyway:
        output.note("\n".join(_columns(changes)))
    rerun_id = stoppable(lambda: engine.send(command), lambda _: engine.send(StopTurn(chat)))
    document = engine.read(GetRerun(chat, rerun_id)) | {"columns": changes}
    output.done(document, "\n".join([*_columns(changes), *_text(document)]), _code(document))


def _require_alone(*others: object) -> None:
    if any(others):
        raise Invalid("rerun_what", "--pinned can only be combined with a chat, --data and --json.")


def _code(document: Document) -> int:
    """Return the exit code of a run: 1 if a call failed or was not reached, 4 if something moved, otherwise 0."""
    if any(one["status"] in _SHORT for one in document["calls"]):
        return 1
    return _MOVED if any(one["moved"] for one in document["calls"]) else 0


def _upload(word: str) -> Upload:
    name, equals, path = word.partition("=")
    if not equals or not name or not path:
        raise Invalid(
            "file_words", f"{word[:80]!r} does not have the form NAME=PATH, such as orders.csv=november.csv."
        )
    (upload,) = checked_uploads([Path(path)])
    return Upload(name, upload.content)


def _column_names(words: Sequence[str], files: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the matched columns from the options: file → column that the calls use → column of the new file."""
    found: dict[str, dict[str, str]] = {}
    for word in words:
        name = next((one for one in files if word.startswith(f"{one}:")), None)
        old, equals, new = (word if name is None else word[len(name) + 1 :]).partition("=")
        if not old or not equals or not new:
            raise Invalid(
                "column_words", f"{word[:80]!r} does not have the form OLD=NEW, such as unit_price=price."
            )
        if name is None and len(files) != 1:
            way = (
                "does not say which file it is for. Write NAME:OLD=NEW" if files else "needs --file NAME=PATH"
            )
            raise Invalid("column_words", f"--column {word[:80]} {way}.")
        columns_of = found.setdefault(name or files[0], {})
        if old in columns_of:
            raise Invalid("column_words", f"--column names {old} twice.")
        columns_of[old] = new
    return found


def _arguments(call: str | None, args: str | None) -> dict[str, Any] | None:
    if (call is None) != (args is None):
        raise Invalid("rerun_what", "A changed call needs both --call and --args.")
    if args is None:
        return None
    try:
        found = json.loads(args)
    except ValueError as error:
        raise Invalid("args_json", f"--args is not valid JSON: {error}.") from None
    if not isinstance(found, dict):
        raise Invalid("args_json", "--args is not a JSON object.")
    return found


def _columns(changes: list[Document]) -> list[str]:
    """Return lines about the differences in the new files' columns."""
    lines: list[str] = []
    for table in changes:
        if table["problem"]:
            lines.append(table["problem"])
            continue
        lines.append(f"{table['path']}: {table['rows_before']:,} → {table['rows_now']:,} rows")
        for column in table["columns"]:
            if column["what"] == "missing":
                lines.append(f"  {_missing(column)}")
            elif column["what"] == "matched":
                lines.append(f"  {column['name']} is read from {column['like']}.")
            elif column["what"] == "new":
                lines.append(f"  {column['name']} is new and not used.")
            elif column["what"] == "other type":
                lines.append(
                    f"  {column['name']} now has the type {column['now']}; it was {column['before']}."
                )
        lines += [f"  {told}." for told in table["values_gone"]]
    return [*lines, ""] if lines else []


def _missing(column: Document) -> str:
    name, like = column["name"], column["like"]
    number = column["calls"]
    used = f" {number} of the calls use{'s' if number == 1 else ''} it." if number else " No call names it."
    maybe = f" It may be {like}: {column['why']}. If so, add --column {name}={like}." if like else ""
    if column["calls"] and not like:
        maybe = f" If it has another name in the new file, add --column {name}=NAME."
    return f"{name} is missing.{used}{maybe}"


def _text(document: Document) -> list[str]:
    rows = [
        (
            one["id"],
            one["tool_id"],
            one["status"],
            "moved" if one["moved"] else "same" if one["new_id"] else "",
        )
        for one in document["calls"]
    ]
    lines = [columns(rows, ["call", "tool", "status", "result"]), ""]
    for one in document["calls"]:
        if one["told"]:
            lines.append(f"{one['id']}: {one['told']}")
        lines += [
            f"{one['id']} quotes “{value}”, which no result contains any more." for value in one["quotes"]
        ]
    moved = [f"{one['before']} → {one['after']}" for one in document["numbers"] if one["status"] == "moved"]
    if moved:
        lines.append(f"Numbers in the answers, updated from the new results: {', '.join(moved)}.")
    for one in document["sentences"]:
        if not one["follows"]:
            lines.append(f"“{one['text']}” is no longer true. {one['now'] or ''}".rstrip())
    if document["branch_leaf"] and any(one["status"] in _SHORT for one in document["calls"]):
        lines.append(
            "The run did not reach its end, so the chat is still at its previous branch. "
            f"The calls that ran are on the branch that ends at {document['branch_leaf']}."
        )
    elif document["branch_leaf"]:
        lines.append(
            f"The new branch ends at {document['branch_leaf']}. The text of its answers is unchanged."
        )
    return lines
