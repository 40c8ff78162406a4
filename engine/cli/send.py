"""`anabranch send`: sends any command of the engine, with its fields as arguments.

The other groups prompt, wait and format their output as each command requires. This one is for scripts and for commands
without a group. It parses its arguments with the API's description, so every new command is available at once.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

import click

from engine.cli.answer import tell_answer
from engine.cli.options import data_option, json_option, opened
from engine.cli.output import Output, columns
from engine.cli.port import Engine, stoppable
from engine.commands import catalog
from engine.commands.carried import Parts
from engine.commands.catalog import Command, StopTurn, TurnStart
from engine.errors import Invalid, NotFound, Refused

__all__ = ["OWN_WORDS", "send", "sendable"]

OWN_WORDS = {
    "ConfigureToolset": "toolset configure",
    "InstallToolset": "toolset install",
    "ReceiveFile": "send UploadFiles",
    "RegisterServer": "mcp add",
}
"""Command → the terminal command to use instead. `send` cannot send these commands, because they need a prompt for
secrets, the user's agreement, or a stream.
"""


def sendable() -> dict[str, type[Command[Any]]]:
    """Return the commands that `send` can send: name → command."""
    found = {name: getattr(catalog, name) for name in catalog.__all__ if name not in OWN_WORDS}
    kinds = {name: kind for name, kind in found.items() if isinstance(kind, type)}
    return {name: kind for name, kind in kinds.items() if issubclass(kind, Command) and kind is not Command}


@click.command()
@click.argument(
    "command", required=False, help="The command, such as RenameChat; without it, all commands are listed."
)
@click.argument(
    "words",
    nargs=-1,
    metavar="[FIELD=VALUE]...",
    help="FIELD=VALUE is text, or JSON for fields of other types. FIELD:=JSON is JSON. FIELD=@PATH sends "
    "a file; repeat `files=@PATH` for several files.",
)
@data_option
@json_option
def send(command: str | None, words: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    """Send any command of the engine by its name and fields.

    docs/commands.md describes the commands.
    """
    output = Output(as_json=as_json)
    with output.failures():
        kind = _list(output) if command is None else _kind(command)
        message = _message(kind, words)
        with opened(data, makes=True) as engine:
            result = _sent(engine, message)
            if isinstance(result, TurnStart):
                tell_answer(output, engine, result)
            from engine.commands.codec import encode_result  # noqa: PLC0415 - slow to import

            document = encode_result(kind, result)
            text = "Done." if document is None else json.dumps(document, ensure_ascii=False, indent=2)
            output.done(document, document if isinstance(document, str) else text)


def _list(output: Output) -> NoReturn:
    rows = [(name, (kind.__doc__ or "").split("\n")[0]) for name, kind in sorted(sendable().items())]
    output.done([{"command": name, "about": about} for name, about in rows], columns(rows, ["command", ""]))


def _sent(engine: Engine, message: Command[Any]) -> Any:
    """Send the command. Ctrl C stops the turn that is running in its chat."""
    chat_id = getattr(message, "chat_id", None)

    def stop(_: object) -> None:
        if isinstance(chat_id, str):
            engine.send(StopTurn(chat_id))

    return stoppable(lambda: engine.send(message), stop)


def _kind(name: str) -> type[Command[Any]]:
    if name in OWN_WORDS:
        raise Refused("command_own_words", f"{name} cannot be sent here. Use `anabranch {OWN_WORDS[name]}`.")
    kind = sendable().get(name)
    if kind is None:
        raise NotFound(
            "command_unknown", f"There is no command {name[:80]}. `anabranch send` lists all commands."
        )
    return kind


def _message(kind: type[Command[Any]], words: Sequence[str]) -> Command[Any]:
    """Return the command that the words describe.

    Raises:
        Invalid: an argument does not name a field, or its value does not have the described type.
    """
    from engine.commands.codec import decode, schemas  # noqa: PLC0415 - slow to import

    made, definitions = schemas([kind], "#/{model}")
    schema: dict[str, Any] = definitions.get(kind.__name__) or made[kind.__name__, "message"]
    described: dict[str, Any] = schema.get("properties", {})
    document: dict[str, Any] = {}
    parts: Parts = {}
    for word in words:
        name, equals, value = word.partition("=")
        name, is_json = name.removesuffix(":"), name.endswith(":")
        if not equals or name not in described:
            known = ", ".join(field.name for field in fields(kind)) or "none"  # type: ignore[arg-type]
            raise Invalid(
                "field_unknown",
                f"{name[:80]!r} does not set a field of {kind.__name__}. Write FIELD=VALUE. Its fields are: {known}.",
            )
        if value.startswith("@") and not is_json:
            _add_file(document, parts, name, Path(value[1:]), several=described[name].get("type") == "array")
        else:
            document[name] = value if _is_text(described[name]) and not is_json else _json(name, value)
    message: Command[Any] = decode(kind, document, parts)
    return message


def _add_file(document: dict[str, Any], parts: Parts, name: str, path: Path, *, several: bool) -> None:
    if not path.is_file():
        raise NotFound("file_not_found", f"{path} cannot be read: it is not a file. Check the path.")
    part = f"file{len(parts)}"
    parts[part] = path.absolute()
    if several:
        document.setdefault(name, []).append({"name": path.name, "content": {"part": part}})
    else:
        document[name] = {"part": part}


def _is_text(described: dict[str, Any]) -> bool:
    choices = described.get("anyOf", [described])
    kinds = {choice.get("type") for choice in choices} - {"null"}
    return kinds == {"string"}


def _json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise Invalid("field_json", f"{name} is not valid JSON: {error}.") from None
