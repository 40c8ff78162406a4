"""`anabranch`: the command line. Combines the groups of commands, each of which is in its own module."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from click.exceptions import Exit, NoArgsIsHelpError

from engine.cli.cli_context import say
from engine.cli.completion import answer_shell, install_completion_option, show_completion_option
from engine.cli.lazy_group import LazyGroup
from engine.cli.options import data_option
from engine.cli.output import print_error
from engine.system.gc_pause import collect_less_often
from engine.system.private_files import keep_files_private
from engine.system.standard_streams import repair_standard_streams, silence_broken_streams

# httpx imports its own command line if rich is installed, as development tools do. It works without it.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]

__all__ = ["command_names", "main", "program", "run"]

COMMANDS = {
    "ask": ("engine.cli.ask:ask", "Ask a question about files and print the answer."),
    "replay": (
        "engine.cli.replay:replay",
        "Run a branch's recorded calls again, each with its original files and tool.",
    ),
    "rerun": (
        "engine.cli.rerun:rerun",
        "Run a branch's calls again on a new branch, with other files or a changed call.",
    ),
    "compare": ("engine.cli.compare:compare", "Compare two branches, two moments of a chat, or two chats."),
    "why": (
        "engine.cli.why:why",
        "Show where a number, a call's result or a file came from: cells, formula, SQL or code, files, log.",
    ),
    "send": ("engine.cli.send:send", "Send any command of the engine by its name and fields."),
    "serve": ("engine.cli.serve:serve", "Serve the app on this machine and print its address."),
    "state": ("engine.cli.state:state", "Show every read model as of a position in the log."),
    "rebuild": (
        "engine.cli.state:rebuild",
        "Compute every read model again from the log, and compare the result with the previous rows.",
    ),
    "gc": ("engine.cli.contents:gc", "Remove stored content that no event refers to."),
    "check": (
        "engine.cli.contents:check",
        "Check stored content and toolset files against their recorded hashes.",
    ),
    "doctor": (
        "engine.cli.state:doctor",
        "Check the data folder, the log, the tool processes, and how far this system can confine them.",
    ),
    "chat": (
        "engine.cli.chat:program",
        "List, show and fork chats; approve or deny calls that wait for you.",
    ),
    "toolset": ("engine.cli.toolset:program", "Write, install and manage toolsets."),
    "tool": ("engine.cli.tool:tool_program", "Run tools, and choose how their results are shown."),
    "definition": ("engine.cli.definition:program", "List, set and forget definitions of your terms."),
    "link": ("engine.cli.link:program", "Use files in place, without copying them."),
    "source": (
        "engine.cli.source:program",
        "Connect databases and query engines, whose data stays where it is.",
    ),
    "key": ("engine.cli.key:program", "Manage the keys for model providers."),
    "log": ("engine.cli.log:program", "Inspect the event log."),
    "mcp": ("engine.cli.mcp:program", "Manage MCP servers, or serve this app's tools as an MCP server."),
}
"""Name → module and attribute of a command or a group, and the first sentence of its help. See `LazyGroup`."""
_NAME = "anabranch"
_INTERRUPTED = 128 + signal.SIGINT


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    invoke_without_command=True,
    context_settings={"show_default": True, "max_content_width": 100},
    help="A chat for analysing data on your own machine. It records everything and shows where numbers come from.",
)
@data_option
@install_completion_option
@show_completion_option
@click.version_option(package_name="anabranch", message="anabranch %(version)s")
@click.pass_context
def program(context: click.Context, data: Path | None) -> None:  # noqa: ARG001 - the commands read it
    """Without a command, `serve` runs."""
    if context.invoked_subcommand is None:
        from engine.cli.serve import serve  # noqa: PLC0415 - `--help` does not need it

        with serve.make_context("serve", [], parent=context) as serving:
            serve.invoke(serving)


def command_names() -> dict[str, list[str]]:
    """Return all commands: a name such as `toolset-install` → the words that call the command."""
    found: dict[str, list[str]] = {}

    def walk(context: click.Context, names: list[str]) -> None:
        command = context.command
        if not isinstance(command, click.Group):
            found["-".join(names)] = names
            return
        for name in command.list_commands(context):
            _, below, _ = command.resolve_command(context, [name])
            assert below is not None, name
            walk(click.Context(below, context, name), [*names, name])

    walk(click.Context(program), [])
    return found


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    Wrong usage is reported in one line, or with `--json` as a document.
    """
    code = 0
    try:
        with program.make_context(_NAME, list(words)) as context:
            program.invoke(context)
    except Exit as done:
        code = done.exit_code
    except KeyboardInterrupt:
        code = _INTERRUPTED
        say("stderr", "Anabranch has ended.\n")
    except (click.Abort, EOFError):  # the user did not answer
        code = 1
    except BrokenPipeError:  # the reader of the output has closed the pipe
        code = 1
    except OSError as error:
        say("stderr", f"The output could not be written: {error.strerror or error}.\n")
        code = 1
    except NoArgsIsHelpError as asked:  # a group without a command
        say("stdout", f"{asked.format_message()}\n")
        code = asked.exit_code
    except click.UsageError as error:
        _report_usage(error, as_json="--json" in words)
        code = error.exit_code
    return code


def _report_usage(error: click.UsageError, *, as_json: bool) -> None:
    """Report wrong usage in one line, or as a document."""
    said = error.format_message().rstrip(".")
    message = f"{said}{'' if said.endswith(('?', '?)')) else '.'} See --help."
    if as_json:
        print_error("usage", message)
    else:
        say("stderr", message + "\n")


def main() -> None:
    """Run the command line of this process."""
    repair_standard_streams()
    keep_files_private()
    collect_less_often()
    code = answer_shell(program, _NAME)
    if code is None:
        code = run(sys.argv[1:])
    silence_broken_streams()
    sys.exit(code)
