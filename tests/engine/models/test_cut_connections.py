"""A broken connection is reported as such, with the provider's name, wherever and however it breaks."""

import json
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from engine.models.model import Delta, Finished, TextDelta
from engine.models.providers import PROVIDERS
from engine.models.registry import Models
from engine.system.cancellation import Cancellation
from tests.engine.models.asking import request, sse, user

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
WAYS = {
    "closed": (b"Connection: close\r\n\r\n", b""),
    "short of its content length": (b"Content-Length: 100000\r\n\r\n", b""),
    "inside a chunk": (b"Transfer-Encoding: chunked\r\n\r\n", b"fff\r\n"),
    "reset": (b"Connection: close\r\n\r\n", b""),
}
TEXT = {
    "openai": {"choices": [{"index": 0, "delta": {"content": "Half"}}]},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "Half"}]}}]},
    "anthropic": {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Half"},
    },
}
CALL = {
    "openai": {
        "choices": [{"delta": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": '{"a":'}}]}}]
    },
    "gemini": {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]},
    "anthropic": {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    },
}


def beginnings(dialect: str) -> dict[str, bytes]:
    """How much of a reply arrives."""
    text = sse(TEXT[dialect], done=False)
    return {
        "nothing": b"",
        "inside the name of a field": text + b"dat",
        "after text": text,
        "inside an event": text + b'data: {"choices": [{"del',
        "inside a call": text + sse(CALL[dialect], done=False),
        "inside a JSON body": json.dumps(TEXT[dialect]).encode()[:-2],
    }


@contextmanager
def serving(head: bytes, before: bytes, body: bytes, *, reset: bool, heard: Event) -> Iterator[int]:
    """The port of a server that sends `body` and breaks the connection; a reset waits until the text was `heard`."""

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(head and head + before + body)
            if reset:
                heard.wait(600)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        pool.submit(serve, listener)
        yield listener.getsockname()[1]


def asked(dialect: str, port: int, heard: Event) -> list[Delta]:
    """Everything that arrives; `heard` is set after the first piece of text."""
    model = Models(lambda _: None).resolve(f"{dialect}:m", f"http://127.0.0.1:{port}")
    deltas: list[Delta] = []
    for delta in model.stream(request(user("a"), parameters={"max_tokens": 1}), Cancellation()):
        deltas.append(delta)
        if isinstance(delta, TextDelta):
            heard.set()
    return deltas


@pytest.mark.parametrize("how_far", beginnings("openai"))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dialect", TEXT)
def test_a_broken_connection_is_reported_as_such(dialect: str, way: str, how_far: str) -> None:
    """The text stays, and the user is asked to retry."""
    head, before = WAYS[way]
    body, heard = beginnings(dialect)[how_far], Event()
    if b"Half" not in body or how_far == "inside a JSON body":
        heard.set()
    with serving(HEAD + head, before, body, reset=way == "reset", heard=heard) as port:
        deltas = asked(dialect, port, heard)
    last = deltas[-1]
    assert isinstance(last, Finished)
    title = PROVIDERS[dialect].title
    words = f"The connection to {title} at 127.0.0.1:{port} ended before the reply did. Retry."
    assert (last.reason, last.kind, last.error) == ("error", "broken", words)
    if how_far not in ("nothing", "inside a JSON body"):
        assert deltas[0] == TextDelta("Half")


@pytest.mark.parametrize("dialect", TEXT)
def test_a_connection_that_closes_before_the_answer_is_reported_as_cut(dialect: str) -> None:
    """The server accepted the request, so the error does not tell the user to start the server."""
    with serving(b"", b"", b"", reset=True, heard=(heard := Event())) as port:
        heard.set()
        (last,) = asked(dialect, port, heard)
    assert isinstance(last, Finished)
    assert (last.kind, "ended before the reply did. Retry." in str(last.error)) == ("broken", True)
