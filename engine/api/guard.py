"""Rejects requests that use a host name of another machine or were sent by another site's page. This prevents DNS
rebinding and CSRF.

Every HTTP request and WebSocket passes through here, including the requests of Streamlit's page. A response without a
policy gets one here, so that the output of a model or a tool cannot make the browser fetch anything from outside.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from engine.api.policy import FILE_POLICY, PAGE_HEADERS
from engine.api.slow_bodies import BODY_SECONDS, timely

__all__ = ["AsgiApp", "Guard", "Receive", "Scope", "Send", "allowed", "headers_of", "refuse"]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_LINE = frozenset("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_MEDIA = "/media/"


def allowed(host: str, origin: str | None, hosts: Iterable[str] = LOOPBACK) -> int:
    """Return 200, or the status of the refusal: 421 for a foreign host, 403 for a foreign origin.

    `*` in `hosts` accepts any host. This is only for a public demo: it does not identify visitors by cookies or
    anything else that browsers send automatically.
    """
    known = frozenset(hosts)
    if "*" in known:
        return 200
    if _name(f"//{host}") not in known:
        return 421
    if origin is not None and (urlsplit(origin).netloc != host or _name(origin) not in known):
        return 403
    return 200


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def headers_of(scope: Scope) -> dict[bytes, str]:
    """Return the headers of a request by lower-case name. If a header occurs twice, its last value is returned."""
    return {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}


class Guard:
    """ASGI middleware that enforces `allowed`."""

    def __init__(
        self,
        app: AsgiApp,
        hosts: Iterable[str] = LOOPBACK,
        page: Mapping[str, str] = PAGE_HEADERS,
        seconds: float = BODY_SECONDS,
    ) -> None:
        """`page` contains the headers of the app's own page; `seconds` is the time limit for bodies, see `timely`."""
        self._app = app
        self._hosts = frozenset(hosts)
        self._page = page
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        status = allowed(headers.get(b"host", ""), headers.get(b"origin"), self._hosts)
        if status != 200:
            code = "host_foreign" if status == 421 else "origin_foreign"
            words = "This address serves only its own pages on this machine."
            await refuse(scope, receive, send, status, code, words)
        elif not _LINE.isdisjoint(scope["path"]):  # `.` in a route's pattern matches no line break
            await refuse(
                scope, receive, send, 404, "route_not_found", "An address cannot contain a line break."
            )
        elif scope["type"] == "http":
            await self._app(
                scope, timely(receive, self._seconds), _with_headers(send, scope["path"], self._page)
            )
        else:
            await self._app(scope, receive, send)


def _with_headers(send: Send, path: str, page: Mapping[str, str]) -> Send:
    """Return a `send` that adds missing headers to a response.

    Streamlit serves the files that it displays or offers for download below /media/. They are untrusted and may be
    opened in a separate tab, so they get `FILE_POLICY`.
    """
    wanted = dict(page) | ({"content-security-policy": FILE_POLICY} if path.startswith(_MEDIA) else {})

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            given = [(name.encode(), value.encode()) for name, value in wanted.items()]
            more = [(name, value) for name, value in given if name not in present]
            message["headers"] = [*message.get("headers", ()), *more]
        await send(message)

    return sending


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, code: str, message: str) -> None:
    """Reply with a problem document; a WebSocket is rejected before it is accepted."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4000 + status, "reason": code})
        return
    title = "No token" if status == 401 else "Refused"
    body = {"type": "about:blank", "title": title, "status": status, "detail": message, "code": code}
    text = json.dumps(body).encode()
    headers = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(text)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else text})
