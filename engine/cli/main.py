"""`anabranch`: the command line. Each group of commands has a module of its own; this one puts them together."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli import (
    ask,
    chat,
    compare,
    contents,
    definition,
    key,
    log,
    log_keeping,
    mcp,
    replay,
    rerun,
    send,
    state,
    toolset,
    why,
)
from engine.cli import run as running
from engine.cli.cli_context import say
from engine.cli.output import print_error
from engine.system.private_files import keep_files_private

__all__ = ["command_names", "main", "program", "run"]

program = typer.Typer(
    name="anabranch",
    help="An analytics chat that runs on your own machine, forgets nothing and can prove its numbers.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    add_completion=True,
)
program.add_typer(chat.program, name="chat")
program.add_typer(toolset.program, name="toolset")
program.add_typer(running.tool_program, name="tool")
program.add_typer(definition.program, name="definition")
program.add_typer(key.program, name="key")
program.add_typer(log.program, name="log")
for keeping in (log_keeping.checkpoint, log_keeping.accept, log_keeping.salvage):
    log.program.command(keeping.__name__)(keeping)
program.add_typer(mcp.program, name="mcp")
program.command("ask")(ask.ask)
program.command("replay")(replay.replay)
program.command("rerun")(rerun.rerun)
program.command("compare")(compare.compare)
program.command("why")(why.why)
program.command("send")(send.send)
program.command("serve")(running.serve)
program.command("state")(state.state)
program.command("rebuild")(state.rebuild)
program.command("gc")(contents.gc)
program.command("check")(contents.check)
program.command("doctor")(state.doctor)


@program.callback(invoke_without_command=True)
def start(
    context: typer.Context, data: Annotated[Path | None, typer.Option(help="The data folder.")] = None
) -> None:
    """Without a command: opens the app."""
    if context.invoked_subcommand is None:
        running.serve(data=data)


def command_names() -> dict[str, list[str]]:
    """Every command: `toolset-install` → the words that name it."""
    found: dict[str, list[str]] = {}

    def walk(command: Any, names: list[str]) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found["-".join(names)] = names
        for name, below in (inner or {}).items():
            walk(below, [*names, name])

    walk(typer.main.get_command(program), [])
    return found


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    Wrong usage is told in one line, and under `--json` as a document.
    """
    try:
        command = typer.main.get_command(program)
        code = command.main(args=list(words), prog_name="anabranch", standalone_mode=False)
    except typer.Abort:
        code = 1
    except Exception as error:
        if getattr(error, "exit_code", None) != 2 or not hasattr(error, "format_message"):
            raise
        message = f"{error.format_message().rstrip('.')}. See --help."
        if "--json" in words:
            print_error("usage", message)
        else:
            say("stderr", message + "\n")
        code = 2
    return code or 0


def main() -> None:
    """Run the command line of this process."""
    keep_files_private()
    sys.exit(run(sys.argv[1:]))
