"""A Flight SQL server for one test. It requires a token, has no tables, and answers one query: SELECT 1."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyarrow import flight

__all__ = ["flight_server"]

_ONE = pa.table({"one": [1]})


class _Token(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    def __init__(self, token: str) -> None:
        self._token = token

    def start_call(self, _info: Any, headers: dict[str, list[str]]) -> None:
        if headers.get("authorization") != [f"Bearer {self._token}"]:
            raise flight.FlightUnauthenticatedError(f"no such token: {headers.get('authorization')}")


class _Server(flight.FlightServerBase):  # type: ignore[misc]
    def get_flight_info(self, _context: Any, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        if b"CommandStatementQuery" not in descriptor.command or not descriptor.command.endswith(b"SELECT 1"):
            raise NotImplementedError("this server has no tables")
        endpoint = flight.FlightEndpoint(b"one", [])
        return flight.FlightInfo(_ONE.schema, descriptor, [endpoint], -1, -1)

    def do_get(self, _context: Any, _ticket: flight.Ticket) -> flight.RecordBatchStream:
        return flight.RecordBatchStream(_ONE)


@contextmanager
def flight_server(token: str) -> Iterator[str]:
    """Serve on loopback for the duration of the block; return the address in the form of a source.

    Like the errors of some real servers, its error repeats the token that was refused.
    """
    server = _Server("grpc://127.0.0.1:0", middleware={"token": _Token(token)})
    try:
        yield f"grpc://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        server.wait()
