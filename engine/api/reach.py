"""What the routes reach: the app that is open, and the server's open streams."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from fastapi import Depends
from starlette.requests import HTTPConnection

from engine.api.streams import Streams
from engine.app import App
from engine.cli.beside import Run

__all__ = ["Commands", "Reach", "Running", "StreamsOf"]


@dataclass(frozen=True, slots=True)
class Reach:
    """All of it."""

    app: Callable[[], App]
    streams: Streams
    runs: dict[str, Run] = field(default_factory=dict)
    """Commands that run for someone beside this app, by their ids."""


def _reach(connection: HTTPConnection) -> Reach:
    reach: Reach = connection.app.state.reach
    return reach


async def _app(connection: HTTPConnection) -> App:
    return _reach(connection).app()


async def _streams(connection: HTTPConnection) -> Streams:
    return _reach(connection).streams


async def _runs(connection: HTTPConnection) -> dict[str, Run]:
    return _reach(connection).runs


Running: TypeAlias = Annotated[App, Depends(_app)]
StreamsOf: TypeAlias = Annotated[Streams, Depends(_streams)]
Commands: TypeAlias = Annotated[dict[str, Run], Depends(_runs)]
