"""Closes connections on which the head of a request does not arrive in time; uvicorn would wait without limit.

Each such connection uses a file descriptor. If there are too many, nobody else can connect.
"""

from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["end_half_open"]

HEAD_SECONDS = 20.0
"""Seconds until the head of a request must be complete, from its first byte or from the start of the connection."""
_TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def end_half_open(seconds: float = HEAD_SECONDS) -> None:
    """Make uvicorn close a connection whose request head is not complete in time. Call it before
    the server starts.
    """
    setattr(H11Protocol, "connection_made", _made(seconds))  # noqa: B010 - mypy refuses the assignment
    setattr(H11Protocol, "data_received", _received(seconds))  # noqa: B010
    setattr(H11Protocol, "on_response_complete", _answered(seconds))  # noqa: B010
    setattr(H11Protocol, "connection_lost", _lost)  # noqa: B010


_uvicorn_made, _uvicorn_received = H11Protocol.connection_made, H11Protocol.data_received
_uvicorn_lost, _uvicorn_answered = H11Protocol.connection_lost, H11Protocol.on_response_complete


def _made(seconds: float) -> Any:
    def connection_made(self: Any, transport: Any) -> None:
        _uvicorn_made(self, transport)
        _watch(self, seconds)

    return connection_made


def _received(seconds: float) -> Any:
    def data_received(self: Any, data: bytes) -> None:
        _uvicorn_received(self, data)
        _look(self, seconds)

    return data_received


def _answered(seconds: float) -> Any:
    def on_response_complete(self: Any) -> None:
        _uvicorn_answered(self)
        _look(self, seconds)  # the next request may have begun to arrive during the response

    return on_response_complete


def _look(protocol: Any, seconds: float) -> None:
    if not _waits(protocol):
        _forget(protocol)
    elif protocol.conn.trailing_data[0]:
        _watch(protocol, seconds)


def _lost(self: Any, error: Exception | None) -> None:
    _forget(self)
    _uvicorn_lost(self, error)


def _waits(protocol: Any) -> bool:
    """Return whether the connection is waiting for the head of a request, or for the rest of that head."""
    return protocol.conn.their_state is h11.IDLE and protocol.conn.our_state is h11.IDLE


def _watch(protocol: Any, seconds: float) -> None:
    """Start the timer, unless it is already running."""
    if getattr(protocol, "half_open", None) is None:
        protocol.half_open = protocol.loop.call_later(seconds, _end, protocol)


def _forget(protocol: Any) -> None:
    timer = getattr(protocol, "half_open", None)
    if timer is not None:
        timer.cancel()
        protocol.half_open = None


def _end(protocol: Any) -> None:
    protocol.half_open = None
    if _waits(protocol) and not protocol.transport.is_closing():
        protocol.transport.write(_TIMED_OUT)
        protocol.transport.close()
