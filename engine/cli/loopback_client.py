"""Sends HTTP requests to an app on this machine. Uses only the standard library, because importing httpx would take a
fifth of the time of `anabranch chat list` with a running app.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from io import BytesIO
from secrets import token_hex
from typing import IO, Any
from urllib.parse import urlsplit

from engine.commands.carried import Parts
from events.late_dataclass import dataclass

__all__ = ["BrokenOff", "LoopbackClient", "NotConnected", "Reply"]

_CONNECTS = 10.0
"""The seconds within which the app must accept a connection, and later each piece of a request's body."""
_ANSWERS = 20.0
"""The seconds within which the app must answer a GET, which only checks whether the app is there. There is no limit on
the time to execute a command.
"""
_PIECE = 1 << 20


class NotConnected(Exception):
    """Raised if nothing accepts connections at the address."""


class BrokenOff(Exception):
    """Raised if a connection ends before the reply is complete, or if the reply is not HTTP."""


class Reply:
    """A response, read as it arrives. All its methods may raise `BrokenOff`."""

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self.status = response.status

    def read(self) -> bytes:
        """Return the whole body."""
        with _broken_off():
            return self._response.read()

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the body. Only line feeds end a line, since texts may contain other line separators."""
        while line := self._next(self._response.readline):
            yield line

    def pieces(self) -> Iterator[bytes]:
        """Yield the body in pieces. Raise `BrokenOff` if bytes are missing at the end."""
        while piece := self._next(lambda: self._response.read(_PIECE)):
            yield piece
        if self._response.length:
            raise BrokenOff(f"{self._response.length} bytes are missing")

    def _next(self, read: Callable[[], bytes]) -> bytes:
        with _broken_off():
            return read()


@contextmanager
def _broken_off() -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException) as error:
        raise BrokenOff(type(error).__name__) from error


@dataclass(frozen=True, slots=True)
class LoopbackClient:
    """Sends every request over a separate connection. Safe for several threads."""

    address: str
    """The app's address, such as `http://127.0.0.1:8501`. Proxy settings in the environment are ignored."""
    token: str

    @contextmanager
    def get(self, path: str) -> Iterator[Reply]:
        """Send a GET, and yield the reply.

        Raises:
            NotConnected: nothing accepts connections at the address.
            BrokenOff: the connection broke, or the reply is not HTTP.
        """
        with self._connected() as connection:
            with _broken_off():
                connection.request("GET", path, headers=self._headers())
            yield _reply(connection, _ANSWERS)

    @contextmanager
    def post(self, path: str, document: dict[str, Any], parts: Parts, accept: str) -> Iterator[Reply]:
        """Post a document, and yield the reply. With `parts`, post a form with the document and the files, and read the
        files while they are sent.

        The JSON is ASCII, so that names and texts that are not UTF-8 arrive unchanged.

        Raises:
            NotConnected, BrokenOff: see `get`.
        """
        told = json.dumps(document).encode()
        headers = self._headers() | {"Accept": accept}
        with self._connected() as connection, ExitStack() as open_files:
            if parts:
                form = _Form(told, parts, open_files)
                headers |= {"Content-Type": form.content_type, "Content-Length": str(form.length)}
            else:
                form, headers = None, headers | {"Content-Type": "application/json"}
            # the app may refuse before it reads the whole body
            with _broken_off(), suppress(BrokenPipeError):
                connection.request("POST", path, iter(form) if form else told, headers)
            yield _reply(connection)

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @contextmanager
    def _connected(self) -> Iterator[HTTPConnection]:
        parts = urlsplit(self.address)
        with closing(HTTPConnection(parts.hostname or "", parts.port, timeout=_CONNECTS)) as connection:
            try:
                connection.connect()
            except OSError as error:
                raise NotConnected(str(error)) from error
            yield connection


def _reply(connection: HTTPConnection, seconds: float | None = None) -> Reply:
    """Return the response; `seconds` limits the time between two parts of it."""
    with _broken_off():
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        return Reply(connection.getresponse())


class _Form:
    """A document and its files as `multipart/form-data` (RFC 7578), in pieces."""

    def __init__(self, document: bytes, parts: Parts, open_files: ExitStack) -> None:
        self._boundary = token_hex(16)
        stream: IO[bytes] = BytesIO(document)
        self._sections = [(self._head("document"), stream, len(document))]
        for name, content in parts.items():
            if isinstance(content, bytes):
                stream, length = BytesIO(content), len(content)
            else:
                stream = open_files.enter_context(content.open("rb"))
                length = os.fstat(stream.fileno()).st_size
            self._sections.append((self._head(name, file=True), stream, length))
        self._end = f"--{self._boundary}--\r\n".encode()
        self.content_type = f"multipart/form-data; boundary={self._boundary}"
        self.length = sum(len(head) + length + 2 for head, _, length in self._sections) + len(self._end)
        """The size of the whole body in bytes."""

    def _head(self, name: str, *, file: bool = False) -> bytes:
        named = f'; filename="{name}"\r\nContent-Type: application/octet-stream' if file else ""
        return f'--{self._boundary}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode()

    def __iter__(self) -> Iterator[bytes]:
        for head, stream, _ in self._sections:
            yield head
            while piece := stream.read(_PIECE):
                yield piece
            yield b"\r\n"
        yield self._end
