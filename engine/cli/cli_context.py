"""The input and output of commands: the terminal of this process, or a substitute, for example in tests.

Commands print and ask for input only through these functions.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

import click

from engine.cli.port import Engine
from events.late_dataclass import dataclass

__all__ = ["CliContext", "Wanted", "ask", "calling", "is_interactive", "present", "say"]

Wanted: TypeAlias = Literal["confirm", "secret", "stdin"]
"""The kind of input: yes or no, a line that is hidden while it is typed, or all of standard input."""


@dataclass(frozen=True, slots=True)
class CliContext:
    """The caller for whom this process runs a command."""

    engine: Engine
    """The engine that executes the commands."""
    interactive: bool
    """Whether the caller can answer questions at a terminal."""
    say: Callable[[str, str], None]
    """Writes a text; takes `stdout` or `stderr`, and the text."""
    ask: Callable[[Wanted, str], str]
    """Asks for input; takes the kind of input and the prompt, and raises `click.Abort` if nobody can answer."""


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
_present: ContextVar[CliContext | None] = ContextVar("caller", default=None)


def present() -> CliContext | None:
    """Return the caller for whom a command runs in this process; None if the process uses its own terminal."""
    return _present.get()


@contextmanager
def calling(caller: CliContext) -> Iterator[None]:
    """Run the commands in the block for `caller`."""
    token = _present.set(caller)
    try:
        yield
    finally:
        _present.reset(token)


def say(stream: Literal["stdout", "stderr"], text: str) -> None:
    """Write `text` to the caller's `stdout` or `stderr`."""
    if caller := _present.get():
        caller.say(stream, text)
        return
    target = sys.stdout if stream == "stdout" else sys.stderr
    target.write(_harmless(text) if target.isatty() else text)
    target.flush()


def _harmless(text: str) -> str:
    """Replace terminal control characters, which tools and models may have written, with visible characters."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def is_interactive() -> bool:
    """Return whether there is a user at a terminal who can answer questions."""
    caller = _present.get()
    return caller.interactive if caller else sys.stdin.isatty()


def ask(wanted: Wanted, prompt: str = "") -> str:
    """Ask the caller; a confirmation is answered with `y` or `n`."""
    if caller := _present.get():
        return caller.ask(wanted, prompt)
    if wanted == "stdin":
        return sys.stdin.read()
    if wanted == "confirm":
        return "y" if click.confirm(prompt, err=True) else "n"
    return str(click.prompt(prompt, hide_input=True, err=True))
