"""A command of the command line, run inside a running app for someone beside it (LOG-8).

It is the very command, in a thread of its own: what it says goes out as messages, what it asks comes back as answers.
"""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from engine.cli.cli_context import CliContext, Wanted, calling
from engine.cli.main import command_names, run
from engine.errors import AnabranchError, NotFound, Refused

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["Message", "RemoteCommand", "is_there", "runnable"]

Message: TypeAlias = Mapping[str, Any]
"""First `{"run": id}`; then `{"stdout": text}`, `{"stderr": text}` or `{"wants": kind, "prompt": text}`; last
`{"code": n}`.
"""

_OURS_ALONE = ("serve", "mcp-serve")
_HELP = {"--help", "--install-completion", "--show-completion"}
_log = logging.getLogger("anabranch.cli")


def runnable(name: str, words: Sequence[str]) -> list[str]:
    """Return the words that name the command `toolset-install`.

    Raises:
        NotFound: there is none of that name.
        Refused: it is for a terminal alone.
    """
    names = command_names().get(name)
    if names is None:
        known = ", ".join(sorted(command_names()))
        raise NotFound("command_not_found", f"There is no command {name[:80]}. There are: {known}.")
    if name in _OURS_ALONE or _HELP.intersection(words):
        raise Refused("command_local", "That is for a terminal: it is not run inside the app.")
    return names


def is_there(folder: Path) -> bool:
    """Whether a caller's folder is one that relative paths can begin at."""
    try:
        return folder.is_absolute() and folder.is_dir()
    except (OSError, ValueError):
        return False


class RemoteCommand:
    """One such command. `put` takes its messages, in any thread."""

    def __init__(self, app: "App", cwd: Path, interactive: bool, put: Callable[[Message], None]) -> None:
        self.id = secrets.token_urlsafe(16)
        self._put = put
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self._lock = Lock()
        self._left = False
        self._caller = CliContext(app, cwd, interactive, self._say, self._ask)

    def start(self, words: Sequence[str]) -> None:
        """Begin; the first message is this run's id."""
        self._put({"run": self.id})
        context = copy_context()
        Thread(target=context.run, args=(self._run, list(words)), name="command", daemon=True).start()

    def answer(self, text: str) -> None:
        """Give what was asked for."""
        self._answers.put(text)

    def stop(self) -> None:
        """Ctrl C: stop what runs; the command then says what came of it."""
        for stop in tuple(self._caller.stops):
            try:
                stop()
            except AnabranchError:
                _log.warning("A command could not be stopped.", exc_info=True)

    def leave(self) -> None:
        """Nobody listens any more: what is asked is not answered. A turn goes on, as it does without a browser."""
        with self._lock:
            self._left = True
        self._answers.put(None)

    def _run(self, words: list[str]) -> None:
        code = 1
        try:
            with calling(self._caller):
                code = run(words)
        except Exception:
            _log.exception("The command %s failed.", words[:2])
            self._say("stderr", "This is an error of Anabranch itself. The app's log has the details.\n")
        finally:
            self._put({"code": code})

    def _say(self, stream: str, text: str) -> None:
        self._put({stream: text})

    def _ask(self, wanted: Wanted, prompt: str) -> str:
        self._put({"wants": wanted, "prompt": prompt})
        with self._lock:
            left = self._left
        answer = None if left else self._answers.get()
        if answer is None:
            raise typer.Abort
        return answer
