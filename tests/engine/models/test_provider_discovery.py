"""Finding available models: only real model servers are offered, and no exception is raised."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from engine.models.dialect import Provider
from engine.models.provider_discovery import ProviderDiscovery, ProviderOffer
from engine.models.providers import PROVIDERS
from engine.models.registry import Models
from tests.support.providers.server import fake_provider

LISTED = {"object": "list", "data": [{"id": "b"}, {"id": "a"}, {"id": "text-embedding-3"}]}


@contextmanager
def serving(body: Any, status: int = 200) -> Iterator[str]:
    """A server that answers every GET with `body`."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(raw)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def at(base: str, provider: str = "ollama") -> Mapping[str, Provider]:
    """One known provider, with its address replaced."""
    return {provider: replace(PROVIDERS[provider], base_url=base)}


def offered(providers: Mapping[str, Provider], key: str | None = None, **urls: str) -> list[ProviderOffer]:
    """The offers found."""
    return ProviderDiscovery(lambda _: key, lambda: urls, providers=providers).current(refresh=False)


def closed_port() -> int:
    """A port where no server listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_running_server_is_offered_with_its_models() -> None:
    """Sorted, without models that only compute embeddings."""
    with serving(LISTED) as base:
        (offer,) = offered(at(base))
    assert (offer.provider, offer.title, offer.state, offer.models) == (
        "ollama",
        "Ollama",
        "ready",
        ("a", "b"),
    )


def test_ollama_without_a_model_is_ready() -> None:
    """It lists `null`."""
    with serving({"object": "list", "data": None}) as base:
        assert [offer.models for offer in offered(at(base))] == [()]


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]x", {"ok": True}, {"data": [{"name": "x"}]}, "text", {"data": {}}]
)
def test_a_server_that_is_not_a_model_server_is_not_offered(body: Any) -> None:
    """Many programs use port 8080."""
    with serving(body) as base:
        assert offered(at(base)) == []


def test_a_stopped_server_is_left_out_unless_it_was_set_up() -> None:
    """Then its address is shown, and what to do."""
    base = f"http://127.0.0.1:{closed_port()}/v1"
    assert offered(at(base)) == []
    (offer,) = offered(at("http://127.0.0.1:1/v1"), ollama=base)
    assert (offer.state, offer.base_url) == ("unreachable", base)
    assert offer.detail == f"Nothing is listening at {base[7:-3]}. Start it."
    (wrong,) = offered(at(base), ollama="nonsense")
    assert (wrong.state, "base URL" in wrong.detail) == ("unreachable", True)


def test_a_server_that_accepts_the_connection_but_never_answers_costs_a_second_at_most() -> None:
    """It may be any program."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        assert offered(at(f"http://127.0.0.1:{server.getsockname()[1]}/v1")) == []
        assert time.monotonic() - began < 1.0


def test_a_remote_provider_without_a_key_is_not_contacted() -> None:
    """The offer says that the key is missing."""
    (offer,) = offered(at("https://models.invalid/v1", "openai"))
    assert (offer.state, offer.models) == ("no_key", ())
    assert "OPENAI_API_KEY" in offer.detail


def test_a_remote_provider_is_contacted_with_the_key() -> None:
    """A rejected key is reported."""
    with fake_provider("openai", models=("m",)) as server:
        (offer,) = offered(at("https://models.invalid/v1", "openai"), "sk-x", openai=server.base_url)
    assert (offer.state, offer.models) == ("ready", ("m",))
    with serving({"error": "no"}, 401) as base:
        (offer,) = offered(at(base, "openai"), "sk-x")
    assert (offer.state, "refused the key" in offer.detail) == ("no_key", True)


def test_gemini_offers_only_models_that_can_chat() -> None:
    """Its list contains embedding models as well."""
    models = [
        {"name": "models/g", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/e", "supportedGenerationMethods": ["embedContent"]},
    ]
    with serving({"models": models}) as base:
        (offer,) = offered(at(base, "gemini"), "k")
    assert offer.models == ("g",)


def test_offers_are_cached_for_a_while() -> None:
    """And fetched again on request."""
    now = [0.0]
    with fake_provider("openai", models=("m",)) as server:
        offers = ProviderDiscovery(lambda _: None, dict, providers=at(server.base_url), clock=lambda: now[0])
        for moment, refresh, asked in [(0, False, 1), (299, False, 1), (300, True, 2), (601, False, 3)]:
            now[0] = moment
            assert [offer.models for offer in offers.current(refresh=refresh)] == [("m",)]
            assert server.listings == asked


def test_a_keyring_that_fails_is_reported_without_raising() -> None:
    """Whatever exception it raises."""

    def broken(_: str) -> str:
        raise RuntimeError("locked")

    offers = Models(broken).offers()
    assert {offer.state for offer in offers} == {"unreachable"}
    assert "openai" in {offer.provider for offer in offers}


def test_without_keys_no_remote_provider_is_contacted() -> None:
    """All of them are listed."""
    offers = Models(lambda _: None).offers()
    remote = {p.id for p in PROVIDERS.values() if not p.local and p.base_url}
    assert {offer.provider for offer in offers if offer.state == "no_key"} == remote
