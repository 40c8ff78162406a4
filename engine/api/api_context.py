"""Shared state of the routes: the open app and the server's open streams."""

from collections.abc import Callable
from typing import Annotated, TypeAlias

from fastapi import Depends
from starlette.requests import HTTPConnection

from engine.api.streams import Kind, Stream, Streams
from engine.app.app import App
from events.late_dataclass import dataclass

__all__ = ["ApiContext", "Opener", "Running", "StreamsOf"]


@dataclass(frozen=True, slots=True)
class ApiContext:
    """All the objects that routes need."""

    app: Callable[[], App]
    streams: Streams


def _reach(connection: HTTPConnection) -> ApiContext:
    reach: ApiContext = connection.app.state.reach
    return reach


async def _app(connection: HTTPConnection) -> App:
    return _reach(connection).app()


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens streams for one request or WebSocket."""

    streams: Streams
    browser: str | None
    """The browser that sends the request over HTTP/1.1. None for other programs, and for WebSockets, because browsers
    can open many WebSockets.
    """

    def open(self, kind: Kind = "watch") -> Stream:
        """See `Streams.open`."""
        return self.streams.open(kind, self.browser)


async def _streams(connection: HTTPConnection) -> Opener:
    return Opener(_reach(connection).streams, _browser(connection))


def _browser(connection: HTTPConnection) -> str | None:
    """Return the address and name of a browser that uses HTTP/1.1; otherwise None. Only browsers send
    `Sec-Fetch-Mode`.
    """
    scope, headers = connection.scope, connection.headers
    few = scope["type"] == "http" and str(scope.get("http_version", "1.1")).startswith("1")
    if not few or "sec-fetch-mode" not in headers:
        return None
    return f"{connection.client.host if connection.client else ''} {headers.get('user-agent', '')}"


Running: TypeAlias = Annotated[App, Depends(_app)]
StreamsOf: TypeAlias = Annotated[Opener, Depends(_streams)]
