"""`anabranch`: the command line. Each group of commands has a module of its own; this one puts them together."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from engine.cli import ask, chat, key, log, run, state, store, toolset
from engine.cli.output import print_error

__all__ = ["main", "program"]

program = typer.Typer(
    name="anabranch",
    help="An analytics chat that runs on your own machine, forgets nothing and can prove its numbers.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    add_completion=True,
)
program.add_typer(chat.program, name="chat")
program.add_typer(toolset.program, name="toolset")
program.add_typer(run.tool_program, name="tool")
program.add_typer(key.program, name="key")
program.add_typer(log.program, name="log")
program.command("ask")(ask.ask)
program.command("serve")(run.serve)
program.command("state")(state.state)
program.command("rebuild")(state.rebuild)
program.command("gc")(store.gc)
program.command("check")(store.check)
program.command("doctor")(state.doctor)


@program.callback(invoke_without_command=True)
def start(
    context: typer.Context, data: Annotated[Path | None, typer.Option(help="The data folder.")] = None
) -> None:
    """Without a command: opens the app."""
    if context.invoked_subcommand is None:
        run.serve(data=data)


def main() -> None:
    """Run the command line. Wrong usage is told in one line, and under `--json` as a document."""
    try:
        code = program(standalone_mode=False)
    except typer.Abort:
        code = 1
    except Exception as error:
        if getattr(error, "exit_code", None) != 2 or not hasattr(error, "format_message"):
            raise
        message = f"{error.format_message().rstrip('.')}. See --help."
        if "--json" in sys.argv:
            print_error("usage", message)
        else:
            sys.stderr.write(message + "\n")
        code = 2
    sys.exit(code or 0)
