"""`anabranch`: the command line. Combines the groups of commands, each of which is in its own module."""

import signal
import sys
from collections.abc import Sequence
from typing import Any

import typer

from engine.cli.cli_context import say
from engine.cli.lazy_group import LazyGroup
from engine.cli.options import Data
from engine.cli.output import print_error
from engine.system.gc_pause import collect_less_often
from engine.system.private_files import keep_files_private
from engine.system.standard_streams import repair_standard_streams, silence_broken_streams

# httpx imports its own command line together with rich if both are installed, but it works without them.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]

__all__ = ["command_names", "main", "program", "run"]

COMMANDS = {
    "ask": "engine.cli.ask:ask",
    "replay": "engine.cli.replay:replay",
    "rerun": "engine.cli.rerun:rerun",
    "compare": "engine.cli.compare:compare",
    "why": "engine.cli.why:why",
    "send": "engine.cli.send:send",
    "serve": "engine.cli.serve:serve",
    "state": "engine.cli.state:state",
    "rebuild": "engine.cli.state:rebuild",
    "gc": "engine.cli.contents:gc",
    "check": "engine.cli.contents:check",
    "doctor": "engine.cli.state:doctor",
    "chat": "engine.cli.chat:program",
    "toolset": "engine.cli.toolset:program",
    "tool": "engine.cli.tool:tool_program",
    "definition": "engine.cli.definition:program",
    "link": "engine.cli.link:program",
    "source": "engine.cli.source:program",
    "key": "engine.cli.key:program",
    "log": "engine.cli.log:program",
    "mcp": "engine.cli.mcp:program",
}
"""Name → module and attribute of a command or a group. The module is imported when the command is used."""
_INTERRUPTED = 128 + signal.SIGINT


class _Program(LazyGroup):
    places = COMMANDS


program = typer.Typer(
    name="anabranch",
    help="A chat for analysing data on your own machine. It records everything and shows where numbers come from.",
    cls=_Program,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    add_completion=True,
)


@program.callback(invoke_without_command=True)
def start(context: typer.Context, data: Data = None) -> None:  # noqa: ARG001 - the commands read it
    """Without a command, `serve` runs."""
    if context.invoked_subcommand is None:
        group: Any = context.command
        serve = group.get_command(context, "serve")
        with serve.make_context("serve", [], parent=context) as serving:
            serve.invoke(serving)


def command_names() -> dict[str, list[str]]:
    """Return all commands: a name such as `toolset-install` → the words that call the command."""
    found: dict[str, list[str]] = {}

    def walk(command: Any, names: list[str]) -> None:
        if not hasattr(command, "list_commands"):
            found["-".join(names)] = names
            return
        for name in command.list_commands(None):
            walk(command.get_command(None, name), [*names, name])

    walk(typer.main.get_command(program), [])
    return found


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    Wrong usage is reported in one line, or with `--json` as a document.
    """
    try:
        command = typer.main.get_command(program)
        code = command.main(args=list(words), prog_name="anabranch", standalone_mode=False)
    except typer.Abort:
        code = 1
    except BrokenPipeError:  # the reader of the output has closed the pipe
        code = 1
    except OSError as error:
        say("stderr", f"The output could not be written: {error.strerror or error}.\n")
        code = 1
    except Exception as error:
        if getattr(error, "exit_code", None) != 2 or not hasattr(error, "format_message"):
            raise
        said = error.format_message().rstrip(".")
        message = f"{said}{'' if said.endswith('?') else '.'} See --help."
        if "--json" in words:
            print_error("usage", message)
        else:
            say("stderr", message + "\n")
        code = 2
    if code == _INTERRUPTED:
        say("stderr", "Anabranch has ended.\n")
    return code or 0


def main() -> None:
    """Run the command line of this process."""
    repair_standard_streams()
    keep_files_private()
    collect_less_often()
    code = run(sys.argv[1:])
    silence_broken_streams()
    sys.exit(code)
