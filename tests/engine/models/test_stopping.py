"""Stopping works promptly: before the first byte, between two bytes, and while connecting."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.models.model import Delta, Finished, Model, ModelRequest, TextDelta
from engine.models.registry import Models
from engine.system.cancellation import Cancellation
from tests.engine.models.asking import request, user
from tests.support.providers.replies import HOLD, Reply
from tests.support.providers.server import fake_provider

DIALECTS = ["openai", "gemini", "anthropic"]
ASKED: ModelRequest = request(user("a"), parameters={"max_tokens": 1})


class Reading(threading.Thread):
    """Reads a stream to its end in a separate thread."""

    def __init__(self, model: Model, cancel: Cancellation) -> None:
        super().__init__()
        self.deltas: list[Delta] = []
        self.first = threading.Event()
        self._stream = model.stream(ASKED, cancel)
        self.start()

    def run(self) -> None:
        for delta in self._stream:
            self.deltas.append(delta)
            self.first.set()

    def end(self) -> list[Delta]:
        """Everything that arrived, once the stream ended; promptly."""
        self.join(timeout=600)
        assert not self.is_alive()
        return self.deltas


def model(base_url: str, dialect: str = "openai") -> Model:
    """An adapter."""
    return Models(lambda _: None).resolve(f"{dialect}:m", base_url)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_silent_stream_is_closed_and_its_text_stays(dialect: str) -> None:
    """The server sees the connection close; the text had arrived before."""
    with fake_provider(dialect, [Reply(text=("Hel", HOLD, "lo " * 100_000))]) as server:
        cancel = Cancellation()
        reading = Reading(model(server.base_url, dialect), cancel)
        assert reading.first.wait(600)
        cancel.set()
        assert reading.end() == [TextDelta("Hel"), Finished("cancelled", reading.deltas[-1].usage)]
        server.release()
        assert server.hung_up.wait(600)


def test_a_model_that_thinks_before_its_first_byte_can_be_stopped() -> None:
    """Not even the head of the answer has arrived."""
    with listening() as (port, taken):
        cancel = Cancellation()
        reading = Reading(model(f"http://127.0.0.1:{port}"), cancel)
        connection = taken()
        connection.recv(100)
        cancel.set()
        assert reading.end() == [Finished("cancelled")]
        while connection.recv(65536):
            pass
        connection.close()


def test_a_connection_that_is_never_established_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that takes long to resolve."""
    asked, go_on = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> list[object]:
        asked.set()
        go_on.wait(600)
        raise OSError("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    cancel = Cancellation()
    reading = Reading(model("https://models.example/v1"), cancel)
    assert asked.wait(600)
    cancel.set()
    assert reading.end() == [Finished("cancelled")]
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == "model-http":
            thread.join(600)


def test_a_request_that_was_stopped_before_its_start_sends_nothing() -> None:
    """It does not even connect."""
    with fake_provider("openai", [Reply(text="a")]) as server:
        cancel = Cancellation()
        cancel.set()
        assert list(model(server.base_url).stream(ASKED, cancel)) == [Finished("cancelled")]
        assert server.requests == []


def test_a_reader_that_stops_early_closes_the_connection() -> None:
    """The generator is closed in the middle."""
    with fake_provider("openai", [Reply(text=("a", HOLD, "b" * 1_000_000))]) as server:
        stream = model(server.base_url).stream(ASKED, Cancellation())
        assert next(stream) == TextDelta("a")
        stream.close()  # type: ignore[attr-defined]
        server.release()
        assert server.hung_up.wait(600)


def test_text_is_delivered_as_it_arrives() -> None:
    """Before the rest of it was sent."""
    with fake_provider("openai", [Reply(text=("a", HOLD, "b"))]) as server:
        stream: Iterator[Delta] = model(server.base_url).stream(ASKED, Cancellation())
        assert next(stream) == TextDelta("a")
        server.release()
        assert next(stream) == TextDelta("b")
        assert isinstance(next(stream), Finished)


@contextmanager
def listening() -> Iterator[tuple[int, object]]:
    """A socket that accepts a connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        yield server.getsockname()[1], lambda: server.accept()[0]
