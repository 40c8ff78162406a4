"""Authenticates API requests: by the token, or by the cookie of the app's own page (API-2).

`Guard` runs first and checks `Host` and `Origin`. Browsers send cookies automatically, so a cookie counts only for
requests that the page itself started. The header `Sec-Fetch-Site` must confirm this. For requests that change something
or open a WebSocket, `Origin` must confirm it too. The limits on a request's contents are also checked here, before its
body is read.
"""

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.exceptions import HTTPException

from engine.api.guard import AsgiApp, Receive, Scope, Send, headers_of, refuse
from engine.secrets.api_token import cookie_name, cookie_value, same

__all__ = ["BODY_BYTES", "UPLOAD_BYTES", "Gate", "PageCookie"]

BODY_BYTES = 16 << 20
"""The limit for a JSON document."""
UPLOAD_BYTES = 2 << 30
"""The limit for a form with files. The form is split into files in a temporary folder before they are examined."""
_STREAMED = "application/octet-stream"
"""The content type of an upload whose body is just the bytes of one file. It is written to the chat's store as it
arrives, so only the disk limits its size.
"""
_READS = ("GET", "HEAD", "OPTIONS")
_OPEN = "/health"
_BEARER_ONLY = ("commands", "queries")


class Gate:
    """ASGI middleware around the routes under /v1."""

    def __init__(self, app: AsgiApp, token: Callable[[], str]) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
        if path == _OPEN and scope["type"] == "http":
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope, headers, path) or _unfit(scope, headers)
        if refused is not None:
            await refuse(scope, receive, send, *refused)
            return
        limited = _limited(receive, headers) if scope["type"] == "http" else receive
        await self._app(scope, limited, send)

    def _refused(self, scope: Scope, headers: dict[bytes, str], path: str) -> tuple[int, str, str] | None:
        token = self._token()
        given = headers.get(b"authorization")
        if given is not None:
            kind, _, value = given.partition(" ")
            if kind.lower() == "bearer" and same(value.strip(), token):
                return None
            return 401, "token_wrong", "That is not the token of this installation."
        host = headers.get(b"host", "")
        if not same(_cookie(headers.get(b"cookie", ""), host), cookie_value(token, host)):
            return (
                401,
                "token_missing",
                "This needs the token of this installation, as `Authorization: Bearer …`.",
            )
        if path.split("/")[1:2] and path.split("/")[1] in _BEARER_ONLY:
            return 403, "bearer_needed", "Commands need the token; the page's cookie is not enough."
        return _foreign(scope, headers)


def _foreign(scope: Scope, headers: dict[bytes, str]) -> tuple[int, str, str] | None:
    """Return the refusal if a request has the cookie but was not started by the app's page; otherwise None."""
    told = (403, "origin_foreign", "Only the app's own page may send this request with its cookie.")
    site = headers.get(b"sec-fetch-site")
    if site not in (None, "same-origin", "none"):
        return told
    if scope["type"] == "websocket":
        return None if b"origin" in headers else told
    if scope["method"] in _READS:
        return None
    return None if b"origin" in headers or site == "same-origin" else told


def _cookie(header: str, host: str) -> str:
    try:
        found = SimpleCookie(header).get(cookie_name(host))
    except CookieError:
        return ""
    return found.value if found else ""


_LARGE = (
    f"The request is too large: JSON may have up to {BODY_BYTES >> 20} MiB, a form up to {UPLOAD_BYTES >> 30} GiB. "
    "Send a larger file on its own, with PUT /v1/chats/{chat_id}/uploads/{name} and the type application/octet-stream."
)


def _unfit(scope: Scope, headers: dict[bytes, str]) -> tuple[int, str, str] | None:
    """Return the refusal if a request's body cannot be accepted; otherwise None."""
    if scope["type"] != "http":
        return None
    length = headers.get(b"content-length", "")
    if length.isdigit() and int(length) > _most(headers):
        return 413, "too_large", _LARGE
    empty = length == "0" or (not length and b"transfer-encoding" not in headers)
    kinds = ("application/json", "multipart/form-data", *([_STREAMED] if scope["method"] == "PUT" else []))
    if scope["method"] in _READS or empty or _kind(headers) in kinds:
        return None
    return 415, "content_type", "Send application/json, or multipart/form-data with a file."


def _kind(headers: dict[bytes, str]) -> str:
    return headers.get(b"content-type", "").partition(";")[0].strip().lower()


def _most(headers: dict[bytes, str]) -> float:
    if _kind(headers) == _STREAMED:
        return float("inf")
    return UPLOAD_BYTES if _kind(headers) == "multipart/form-data" else BODY_BYTES


def _limited(receive: Receive, headers: dict[bytes, str]) -> Receive:
    """Return a `receive` that raises an error if more bytes arrive than a body of this type may have."""
    most, seen = _most(headers), 0

    async def receiving() -> Any:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, _LARGE)
        return message

    return receiving


class PageCookie:
    """ASGI middleware around the app's page that sets the page's cookie with each HTML response. Runs after `Guard`."""

    def __init__(self, app: AsgiApp, token: Callable[[], str]) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http" or str(scope["path"]).startswith("/v1"):
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        host, wants_page = headers.get(b"host", ""), "text/html" in headers.get(b"accept", "")

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start" and _is_page(message, wants_page):
                value = cookie_value(self._token(), host)
                cookie = f"{cookie_name(host)}={value}; Path=/v1; HttpOnly; SameSite=Strict"
                message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode("latin-1"))]
            await send(message)

        await self._app(scope, receive, sending)


def _is_page(message: Any, wants_page: bool) -> bool:
    """Return whether the response is a page, or says that the browser's copy of a page is still valid (status 304).

    A response with status 304 has no content type. It must set the cookie too, because the browser may keep its copy of
    the page longer than the cookie, which is deleted when the browser is closed.
    """
    if message["status"] == 304:
        return wants_page
    kinds = [value for name, value in message.get("headers", ()) if name.lower() == b"content-type"]
    return message["status"] == 200 and any(value.startswith(b"text/html") for value in kinds)
