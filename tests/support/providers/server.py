"""A fake provider on loopback: plays replies in its dialect, stores requests, and lists what a strict provider would
reject.

with fake_provider("openai", [Reply(calls=(Call("query", {"sql": "select 1"}),)), Reply(text="One.")]) as server:
    …                               # ask at server.base_url
    assert server.problems == []
    assert [request.json["model"] for request in server.requests] == ["m", "m"]
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.providers.checking import CHECK
from tests.support.providers.rendering import RENDER
from tests.support.providers.replies import Hold, Reply

__all__ = ["FakeProvider", "Request", "fake_provider"]

_BASE = {"openai": "/v1", "gemini": "/v1beta", "anthropic": ""}
_ERROR_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


@dataclass(frozen=True)
class Request:
    """A request as received."""

    path: str
    headers: dict[str, str]
    """The headers, with names in lower case."""
    body: bytes
    json: Any


class FakeProvider:
    """A running fake provider, created by `fake_provider`."""

    def __init__(self, dialect: str, replies: Sequence[Reply], models: Sequence[str]) -> None:
        self.dialect = dialect
        self.replies = list(replies)
        self.policy: Callable[[Any], Reply] | None = None
        """Makes a reply from the content of a request; used in place of `replies`."""
        self.models = list(models)
        self.requests: list[Request] = []
        self.problems: list[str] = []
        self.listings = 0
        """How often its models were listed."""
        self.hung_up = threading.Event()
        """Set when a client closed its connection before the end of a reply."""
        self._lock = threading.Lock()
        self._holds = threading.Semaphore(0)
        self._waiting = threading.Semaphore(0)
        self._closing = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": self}))
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """The base URL for the adapter."""
        return f"http://127.0.0.1:{self.port}{_BASE[self.dialect]}"

    def release(self, holds: int = 1) -> None:
        """Let the stream continue past its next hold."""
        self._holds.release(holds)

    def wait_for_hold(self, timeout: float = 20.0) -> None:
        """Wait until a stream has reached a hold and has sent everything before it."""
        assert self._waiting.acquire(timeout=timeout), "no stream came to a hold"

    def close(self) -> None:
        """Release every hold, and end the server."""
        self._closing = True
        self._holds.release(1000)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, request: Request) -> tuple[Reply, int]:
        """Record a request and its problems; return its reply and the number of the reply."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            if self.policy is not None:
                self.replies.append(self.policy(request.json))
            said = self.replies[:number]
            try:
                found = list(CHECK[self.dialect](request.json, said))
            except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
                found = [f"not well-formed: {error!r}"]
            if number >= len(self.replies):
                found.append(f"there are only {len(self.replies)} replies")
            self.problems += [f"request {number}: {problem}" for problem in found]
            reply = (
                self.replies[number] if number < len(self.replies) else Reply(status=500, error="No more.")
            )
            return reply, number

    def hold(self) -> None:
        """Wait until `release` is called."""
        self._waiting.release()
        if not self._closing:
            self._holds.acquire(timeout=600)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeProvider

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        names = self.fake.models
        listed = {
            "object": "list",
            "data": [{"id": name, "object": "model"} for name in names],
            "models": [
                {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent"]}
                for name in names
            ],
        }
        self.fake.listings += 1
        self._send(Reply(content_type="application/json"), iter([json.dumps(listed).encode()]))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            parsed = json.loads(body)
        except ValueError:
            parsed = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply, number = self.fake.take(Request(self.path, headers, body, parsed))
        if reply.body is not None:
            self._send(reply, iter([reply.body]))
        elif reply.status >= 400:
            kind = _ERROR_TYPES.get(reply.status, "invalid_request_error")
            error = {"message": reply.error, "type": kind, "code": reply.status}
            refused = Reply(status=reply.status, headers=reply.headers, content_type="application/json")
            self._send(refused, iter([json.dumps({"type": "error", "error": error}).encode()]))
        else:
            self._send(reply, RENDER[self.fake.dialect](reply, number))

    def _send(self, reply: Reply, chunks: Iterator[bytes | Hold]) -> None:
        try:
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.content_type, **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            left = reply.cut
            for chunk in chunks:
                if isinstance(chunk, Hold):
                    self.wfile.flush()
                    self.fake.hold()
                    continue
                self.wfile.write(chunk[:left])
                self.wfile.flush()
                if left is not None:
                    left -= len(chunk)
                    if left <= 0:
                        return
        except OSError:
            self.fake.hung_up.set()


@contextmanager
def fake_provider(
    dialect: str,
    replies: Sequence[Reply] = (),
    *,
    models: Sequence[str] = ("fake-model",),
    policy: Callable[[Any], Reply] | None = None,
) -> Iterator[FakeProvider]:
    """Serve `replies`, one for each request, or what `policy` answers, as `openai`, `gemini` or `anthropic`."""
    fake = FakeProvider(dialect, replies, models)
    fake.policy = policy
    try:
        yield fake
    finally:
        fake.close()
