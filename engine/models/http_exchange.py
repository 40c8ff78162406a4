"""Sends an HTTP request, and reads its answer as it arrives. The request can be abandoned at any moment.

A separate thread waits for the network, so that stopping never waits for a name lookup, a connection, or a model that
thinks before its first word. Stopping also closes the socket, so that the server notices and the thread ends.
"""

import os
import socket
import ssl
from collections.abc import Generator, Mapping
from functools import cache
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from engine.models.addresses import is_loopback
from engine.system.cancellation import Cancellation
from engine.system.lazy_module import LazyModule
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    import httpx
else:
    httpx = LazyModule("httpx")

__all__ = ["Answer", "HttpRequest", "Lost", "Received", "exchange", "new_client"]

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 300.0
"""The longest allowed silence in seconds; a comment in a stream ends a silence."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """An HTTP request to send."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """The status and headers of the answer, which arrive before its body."""

    status: int
    headers: Mapping[str, str]
    """The headers, with names in lower case."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A failed connection: it failed before the answer (`unreachable`), was silent for too long (`silent`), or broke
    off inside the answer (`cut`).
    """

    how: Literal["unreachable", "silent", "cut"]
    detail: str


Received: TypeAlias = Answer | bytes | Lost


def exchange(request: HttpRequest, cancel: Cancellation) -> Generator[Received, None, None]:
    """Yield the head, then the body in pieces as they arrive; a failure is the last item. Ends at once if cancelled."""
    line = _Line(request.url)
    forget = cancel.on_set(line.hang_up)
    if line.hung_up:
        return
    Thread(target=_work, args=(request, line), name="model-http", daemon=True).start()
    try:
        while (item := line.items.get()) is not None and not line.hung_up:
            yield item
    finally:
        forget()
        line.hang_up()


def new_client(url: str, timeout: "httpx.Timeout") -> "httpx.Client":
    """Return a client for `url`. Proxies from the environment are not used for this machine, and redirects are not
    followed.
    """
    here = is_loopback(url)
    return httpx.Client(
        timeout=timeout, trust_env=not here, verify=_trusted() if url.startswith("https:") else False
    )


@cache
def _trusted() -> ssl.SSLContext:
    return httpx.create_ssl_context()


class _Stream(Protocol):
    """The part of httpcore's connections that is used here (see `httpcore.NetworkStream`)."""

    def get_extra_info(self, info: str) -> object: ...


class _Line:
    """The state shared by both threads: the received items, and the socket while the connection is open."""

    def __init__(self, url: str) -> None:
        self._tls = url.startswith("https:")
        self.items: SimpleQueue[Received | None] = SimpleQueue()
        self.hung_up = False
        self.connected = False
        self._lock = Lock()
        self._socket: socket.socket | None = None

    def hang_up(self) -> None:
        """Wake both threads."""
        with self._lock:
            self.hung_up = True
            if self._socket is not None:
                _shut(self._socket)
        self.items.put(None)

    def trace(self, name: str, info: Mapping[str, object]) -> None:
        """Remember the socket of a new connection. httpcore calls this at each step of connecting."""
        if name not in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            return
        stream: _Stream = info["return_value"]  # type: ignore[assignment]
        made = stream.get_extra_info("socket")
        with self._lock:
            self.connected = name == "connection.start_tls.complete" or not self._tls
            self._socket = made if isinstance(made, socket.socket) else None
            if self.hung_up and self._socket is not None:
                _shut(self._socket)

    def let_go(self) -> None:
        """Forget the socket, because it is about to be closed."""
        with self._lock:
            self._socket = None


def _shut(connection: socket.socket) -> None:
    """Wake the threads that read from or write to a socket. It is shut down through a second descriptor, so that a TLS
    object in use is not touched.
    """
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as twin:
            twin.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is closed already


def _work(request: HttpRequest, line: _Line) -> None:
    timeout = httpx.Timeout(IDLE_SECONDS, connect=CONNECT_SECONDS)
    try:
        with (
            new_client(request.url, timeout) as client,
            client.stream(
                "POST",
                request.url,
                content=request.body,
                headers=request.headers,
                extensions={"trace": line.trace},
            ) as response,
        ):
            line.items.put(Answer(response.status_code, response.headers))
            try:
                for chunk in response.iter_bytes():
                    if line.hung_up:
                        break
                    line.items.put(chunk)
            finally:
                line.let_go()
    except httpx.ReadTimeout as error:
        line.items.put(Lost("silent", str(error)))
    except Exception as error:
        # For example, a proxy whose library is missing, or an answer that breaks the protocol. Every error is reported.
        line.items.put(Lost("cut" if line.connected else "unreachable", f"{type(error).__name__}: {error}"))
    finally:
        line.let_go()
        line.items.put(None)
