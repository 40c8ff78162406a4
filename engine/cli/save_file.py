"""`anabranch chat save-file`: replaces files of a chat, or adds them, as edits by the user."""

from pathlib import Path

import click

from engine.cli.options import chat_argument, data_option, json_option, opened
from engine.cli.output import Output
from engine.commands.files import SaveFile
from engine.errors import Invalid

__all__ = ["save_file"]


@click.command("save-file")
@chat_argument
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="NAME=PATH...",
    help="The name of a file in the chat, and the path of its new content.",
)
@data_option
@json_option
def save_file(chat: str, files: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    """Save files to a chat, recorded as your edits. They replace files with the same names; earlier states keep the
    old files.

    Calls do not run again, except those of pinned answers in a running app. `anabranch rerun` runs a chat's calls with
    other files.
    """
    output = Output(as_json=as_json)
    with output.failures():
        given = [_given(word) for word in files]
        with opened(data) as engine:
            for name, path in given:
                engine.send(SaveFile(chat, name, path.read_bytes(), replaces=True))
        names = [name for name, _ in given]
        output.done({"chat_id": chat, "saved": names}, f"Saved {', '.join(names)}.")


def _given(word: str) -> tuple[str, Path]:
    name, equals, path = word.partition("=")
    if not equals or not name or not path:
        raise Invalid(
            "file_words", f"{word[:80]!r} does not have the form NAME=PATH, such as orders.csv=november.csv."
        )
    from engine.cli.ask import checked_uploads  # noqa: PLC0415 - slow to import

    checked_uploads([Path(path)])
    return name, Path(path)
