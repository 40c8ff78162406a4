"""Every command of the engine has a route and a terminal command; exceptions are listed with the reason."""

import json
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from engine.api.commands import STREAMED_ELSEWHERE, queries
from engine.api.commands import commands as routed
from engine.app.app import open_app
from engine.app.queries import catalog as asked
from engine.app.queries.answers import _ANSWERS
from engine.cli.chat import program as chat_program
from engine.cli.main import command_names, program
from engine.cli.send import OWN_WORDS, sendable
from engine.commands import catalog
from engine.commands.base import Command, Query
from engine.commands.catalog import CreateChat

REASONS = {
    "ConfigureToolset": "its secrets are asked for, and never in a command's words",
    "InstallToolset": "the user agrees to its sheet first",
    "ReceiveFile": "its bytes are a stream: over HTTP it has an upload route, and the terminal sends whole files",
    "RegisterServer": "its secrets are asked for, and never in a command's words",
}
"""Commands that `anabranch send` does not take. All but the stream have a command of their own."""

COMMANDS = {
    name: kind
    for name, kind in vars(catalog).items()
    if isinstance(kind, type) and issubclass(kind, Command) and kind is not Command
}


def run(data: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(program, [*words, "--json", "--data", str(data)])
    return done.exit_code, done.stdout


def test_every_command_has_a_route() -> None:
    named = {kind.__name__ for kind in [*routed(), *STREAMED_ELSEWHERE]}
    assert sorted(set(COMMANDS) - named) == []
    assert [kind.__name__ for kind in STREAMED_ELSEWHERE] == ["ReceiveFile"]


def test_every_command_has_a_handler(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        assert {*app._handlers} == {*COMMANDS.values()}


def test_every_command_has_a_terminal_command() -> None:
    assert sorted(set(COMMANDS) - set(sendable()) - set(REASONS)) == []
    assert OWN_WORDS.keys() == REASONS.keys()
    for name, words in OWN_WORDS.items():
        own = words.replace("send UploadFiles", "send").replace(" ", "-")
        assert own in command_names(), name


def test_a_lazy_group_lists_the_first_sentence_of_each_command() -> None:
    """It lists commands without importing them, so their places also contain the sentence."""
    for group in (program, chat_program):
        context = click.Context(group)
        for name in group.list_commands(context):
            listed, (_, command, _) = group.get_command(context, name), group.resolve_command(context, [name])
            assert listed is not None
            assert command is not None
            assert listed is not command
            assert listed.help == command.get_short_help_str(1_000), name


def test_every_query_has_a_route_and_an_answer() -> None:
    kinds = {
        kind
        for kind in vars(asked).values()
        if isinstance(kind, type) and issubclass(kind, Query) and kind is not Query
    }
    assert {*queries()} == kinds == {*_ANSWERS}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["send", "Nothing"], "command_unknown"),
        (["send", "InstallToolset"], "command_own_words"),
        (["send", "RenameChat", "chat_id"], "field_unknown"),
        (["send", "RenameChat", "chat_id=c"], "request_invalid"),
        (["send", "ForkChat", "chat_id=c", "position=x"], "field_json"),
        (["send", "SaveFile", "chat_id=c", "path=a", "content=@not-there"], "file_not_found"),
    ],
)
def test_arguments_that_do_not_form_a_command_are_refused(
    tmp_path: Path, words: Sequence[str], code: str
) -> None:
    exit_code, out = run(tmp_path / "data", *words)
    assert (exit_code, json.loads(out)["error"]["code"]) == (1, code)


@pytest.mark.long
def test_files_and_values_are_passed_by_their_field_names(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "a.csv"
    file.write_text("n\n1\n")
    with open_app(data) as app:
        chat_id = app.send(CreateChat())
    assert run(data, "send", "UploadFiles", f"chat_id={chat_id}", f"files=@{file}", f"files=@{file}")[0] == 0
    edited = ["path=note.txt", f"content=@{file}", "opened_sha256:=null"]
    assert run(data, "send", "SaveFile", f"chat_id={chat_id}", *edited)[0] == 0
    assert run(data, "send", "SelectTools", f"chat_id={chat_id}", 'selection={"builtin": []}')[0] == 0
    code, out = run(data, "send", "Ask", f"chat_id={chat_id}", "text=how many rows are there?")
    assert (code, json.loads(out)["finish"]) == (0, "stop")
    with open_app(data) as app:
        assert sorted(app.workspace.files(chat_id)) == ["a.csv", "a_1.csv", "note.txt"]
        assert app.chat(chat_id).selection == {"builtin": []}
