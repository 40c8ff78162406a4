"""Requests that never complete are ended, but slow answers are not."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from engine.api.guard import Guard
from ui.open_connections import HEAD_SECONDS, end_half_open

GO_ON = threading.Event()


async def echo(request: Request) -> Response:
    """The body."""
    return PlainTextResponse(await request.body())


async def late(_: Request) -> Response:
    """An answer that waits until the test releases it."""
    await asyncio.to_thread(GO_ON.wait)
    return PlainTextResponse("late")


@pytest.fixture
def port() -> Iterator[int]:
    """A server with short time limits for heads and bodies."""
    end_half_open(0.3)
    routes = [Route("/echo", echo, methods=["POST"]), Route("/late", late)]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, seconds=0.3)])
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", http="h11", timeout_keep_alive=60))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        end_half_open(HEAD_SECONDS)


def said(port: int, *pieces: bytes) -> bytes:
    """Everything that the server answers until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=600) as talk:
        for piece in pieces:
            talk.sendall(piece)
        got = b""
        while more := talk.recv(65536):
            got += more
        return got


HEAD = b"POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n"


BEGUN: list[tuple[bytes, ...]] = [(b"P",), (b"POST /echo HTTP/1.1\r\n",), (HEAD, b"X-A: ")]


@pytest.mark.parametrize("pieces", [(), *(pytest.param(begun, marks=pytest.mark.long) for begun in BEGUN)])
def test_a_head_that_never_ends_is_cut_off(port: int, pieces: tuple[bytes, ...]) -> None:
    assert said(port, *pieces).startswith(b"HTTP/1.1 408 ")


def test_the_second_request_of_a_connection_has_a_time_limit_too(port: int) -> None:
    got = said(port, HEAD + b"\r\n0123456789", b"POST /echo HT")
    assert got.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in got


def test_a_body_that_never_arrives_is_cut_off(port: int) -> None:
    assert said(port, HEAD + b"\r\n", b"01").startswith(b"HTTP/1.1 408 ")


def test_an_answer_may_take_any_length_of_time(port: int) -> None:
    """A slow answer is not a half-open request: another connection is cut off meanwhile, and this one stays."""
    with socket.create_connection(("127.0.0.1", port), timeout=600) as talk:
        talk.sendall(b"GET /late HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        for _ in range(2):
            assert b" 408 " in said(port)
        GO_ON.set()
        got: Any = b""
        while more := talk.recv(65536):
            got += more
    assert got.startswith(b"HTTP/1.1 200 ")
