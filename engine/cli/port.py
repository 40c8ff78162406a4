"""Connects the command line to an engine: in its own process, or over HTTP to a running app (LOG-8).

Commands, queries, results and errors are the same objects in both cases. A terminal command always reads, asks and
prints in its own process.
"""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Protocol, TypeVar

from engine.commands.base import Command, Query, Result

if TYPE_CHECKING:
    from engine.app.app import App

__all__ = ["Engine", "OpenEngine", "stoppable"]

Value = TypeVar("Value")


class Engine(Protocol):
    """Executes commands and answers queries."""

    def send(self, command: Command[Result]) -> Result:
        """Execute a command durably, and return the result that its docstring describes.

        Raises: AnabranchError: the command was refused, or something that it needs does not exist.
        """
        ...

    def read(self, query: Query[Result]) -> Result:
        """Return the result of a query.

        Raises: AnabranchError: something that the query names or needs does not exist.
        """
        ...


class OpenEngine:
    """The engine of an app that is open in this process."""

    def __init__(self, app: "App") -> None:
        self._app = app

    def send(self, command: Command[Result]) -> Result:
        """See `Engine.send`."""
        return self._app.send(command)

    def read(self, query: Query[Result]) -> Result:
        """See `Engine.read`."""
        from engine.app.queries.answers import answer  # noqa: PLC0415 - slow to import

        return answer(self._app, query)


def stoppable(work: Callable[[], Value], stop: "Callable[[Future[Value]], object]") -> Value:
    """Run `work` in a thread and return its result.

    Ctrl C calls `stop` with the future of the result, and waits for the result. A second Ctrl C stops waiting.
    """
    done: Future[Value] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, name="command", daemon=True).start()
    try:
        return done.result()
    except KeyboardInterrupt:
        stop(done)
        return done.result()
