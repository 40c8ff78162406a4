"""Completion of commands and options by bash, zsh and fish: `--show-completion` and `--install-completion`."""

import os
from pathlib import Path

import click

from engine.cli.output import Output
from engine.system.private_files import restore_umask

__all__ = ["answer_shell", "install_completion_option", "show_completion_option"]

_VARIABLE = "_ANABRANCH_COMPLETE"
"""The environment variable in which a shell's script asks for completions."""
_SCRIPTS = {
    "bash": ".bash_completions/anabranch.sh",
    "zsh": ".zfunc/_anabranch",
    "fish": ".config/fish/completions/anabranch.fish",
}
"""Shell → where its script is installed, below the user's home folder."""
_STARTS = {
    "bash": (".bashrc", "source '{}'"),
    "zsh": (".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
}
"""Shell → the file that it reads when it starts, and the line there that loads the script. Fish needs none."""
_USERS = "$SHELL"
_METAVAR = f"[{'|'.join(_SCRIPTS)}]"


def answer_shell(program: click.Command, name: str) -> int | None:
    """Answer a shell that asks for completions, and return the exit code. Return None if no shell asks."""
    asked = os.environ.get(_VARIABLE)
    if not asked:
        return None
    from click.shell_completion import shell_complete  # noqa: PLC0415 - only shells that ask need it

    return shell_complete(program, {}, name, _VARIABLE, asked)


def _show(context: click.Context, _: click.Parameter, given: str | None) -> None:
    if given is not None and not context.resilient_parsing:
        Output(as_json=False).done(None, _script(context, _shell(given)).rstrip())


def _install(context: click.Context, _: click.Parameter, given: str | None) -> None:
    if given is not None and not context.resilient_parsing:
        shell = _shell(given)
        output = Output(as_json=False)
        restore_umask()  # these files belong to the user's shell
        with output.failures():
            place = Path.home() / _SCRIPTS[shell]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_script(context, shell), encoding="utf-8")
            told = [f"Wrote {place}.", *_loaded(shell, place), "Open a new terminal to use completion."]
            output.done(None, " ".join(told))


def _loaded(shell: str, script: Path) -> list[str]:
    """Let the shell load the script when it starts. Return a sentence if its start file was changed for that."""
    if shell not in _STARTS:
        return []
    name, line = _STARTS[shell]
    line = line.format(script)
    start = Path.home() / name
    if start.exists() and line.encode() in start.read_bytes():
        return []
    with start.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    return [f"Added a line to {start} that loads it."]


def _shell(given: str) -> str:
    name = Path(os.environ.get("SHELL", "")).name if given == _USERS else given
    if name not in _SCRIPTS:
        problem = f"Completion does not work with {name}" if name else "$SHELL is not set"
        raise click.BadParameter(f"{problem}. Name a shell: {', '.join(_SCRIPTS)}")
    return name


def _script(context: click.Context, shell: str) -> str:
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - slow to import

    kind = get_completion_class(shell)
    assert kind is not None, shell
    return kind(context.command, {}, context.info_name or "", _VARIABLE).source()


show_completion_option = click.option(
    "--show-completion", metavar=_METAVAR, is_flag=False, flag_value=_USERS, is_eager=True, expose_value=False,
    callback=_show, help="Print the completion script for a shell; by default for $SHELL.",
)  # fmt: skip
install_completion_option = click.option(
    "--install-completion", metavar=_METAVAR, is_flag=False, flag_value=_USERS, is_eager=True, expose_value=False,
    callback=_install, help="Install completion for a shell; by default for $SHELL.",
)  # fmt: skip
