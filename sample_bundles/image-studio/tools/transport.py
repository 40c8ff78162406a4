"""Sends HTTP requests with only the standard library, limits time and size, and never sends a key to another server.

Redirects of requests with a key are not followed. If an answer only contains a picture's address, the picture is
fetched without the key: from the same server, or over https from a public address.
"""

import contextlib
import http.client
import importlib
import ipaddress
import json
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from tools.studio import Failed

__all__ = ["LARGEST_PICTURE", "SECONDS", "Answer", "fetch", "post_json"]

SECONDS = 60.0
"""The maximum time for one request, from its beginning to the last byte of the answer."""
LARGEST_PICTURE = 25 << 20
LARGEST_ANSWER = 120 << 20
"""The maximum size of an answer in bytes: enough for four pictures in base64."""
_REDIRECTS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer."""

    status: int
    headers: Mapping[str, str]
    """The headers, with names in lower case."""
    body: bytes

    def json(self) -> Any:
        """Return the body's JSON value; None if it is not valid JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


def post_json(
    title: str, url: str, headers: Mapping[str, str], body: Mapping[str, Any], seconds: float = SECONDS
) -> Answer:
    """Send `body` and return the answer, whatever its status.

    Raises:
        Failed: there was no answer in time, or it was too large.
    """
    data = json.dumps(body).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json", **headers}
    return _request(title, "POST", urlsplit(url), sent, data, LARGEST_ANSWER, seconds)


def fetch(title: str, url: str, base_url: str, seconds: float = SECONDS) -> bytes:
    """Return the picture at `url`, an address in an answer of the server at `base_url`.

    Raises:
        Failed: the picture may not be fetched, or fetching it failed.
    """
    ends = time.monotonic() + seconds
    url = _joined(title, base_url + "/", url)
    for _ in range(_REDIRECTS + 1):
        parts = _allowed(title, url, urlsplit(base_url))
        answer = _request(
            title, "GET", parts, {"Accept": "image/*"}, None, LARGEST_PICTURE, ends - time.monotonic()
        )
        if answer.status not in (301, 302, 303, 307, 308):
            if answer.status != 200:
                raise Failed(f"{title} pointed to a picture that cannot be fetched (HTTP {answer.status}).")
            return answer.body
        url = _joined(title, url, answer.headers.get("location", ""))
    raise Failed(f"{title} returned a picture address that redirects too many times.")


def _joined(title: str, base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        raise Failed(f"{title} pointed to a picture at an invalid address.") from None


def _allowed(title: str, url: str, base: SplitResult) -> SplitResult:
    """Return the parts of `url`; refuse all addresses except the server's own and public https addresses."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Failed(f"{title} pointed to a picture at an invalid address.") from None
    same = host == base.hostname and parts.scheme == base.scheme
    if parts.scheme not in ("http", "https") or not host or parts.username:
        raise Failed(f"{title} returned a picture address that is not a plain http or https address.")
    if not same and (parts.scheme != "https" or not _is_public(host, port or 443)):
        raise Failed(
            f"{title} returned a picture address at {host}, which is neither its own host nor public over https."
        )
    return parts


def _is_public(host: str, port: int) -> bool:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in found)


def _request(
    title: str,
    method: str,
    parts: SplitResult,
    headers: Mapping[str, str],
    data: bytes | None,
    largest: int,
    seconds: float,
) -> Answer:
    ends = time.monotonic() + max(seconds, 0.001)
    try:
        connection = _connection(parts, ends)
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(method, target, body=data, headers={**headers, "Connection": "close"})
            return _answer(title, connection, ends, largest)
        finally:
            connection.close()
    except TimeoutError:
        raise Failed(f"{title} did not answer within {SECONDS:.0f} seconds.") from None
    except ssl.SSLError as error:
        raise Failed(
            f"{title} cannot be reached safely: {error.reason or 'its certificate is not accepted'}.",
            final=True,
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise Failed(f"{title} cannot be reached at {parts.hostname}: {reason}.", final=True) from None


def _connection(parts: SplitResult, ends: float) -> http.client.HTTPConnection:
    host, port, seconds = parts.hostname or "", parts.port, _left(ends)
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=seconds, context=_trusting())
    return http.client.HTTPConnection(host, port, timeout=seconds)


def _trusting() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, or those of the certifi package if Python finds none."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or paths.capath or context.cert_store_stats()["x509_ca"]):
        with contextlib.suppress(ImportError):
            context.load_verify_locations(importlib.import_module("certifi").where())
    return context


def _answer(title: str, connection: http.client.HTTPConnection, ends: float, largest: int) -> Answer:
    wire = connection.sock
    wire.settimeout(_left(ends))
    response = connection.getresponse()
    pieces, size = [], 0
    while True:
        wire.settimeout(_left(ends))
        piece = response.read1(1 << 16)
        if not piece:
            break
        size += len(piece)
        if size > largest:
            raise Failed(f"{title} sent more than {largest >> 20} MiB.")
        pieces.append(piece)
    return Answer(
        response.status, {name.lower(): value for name, value in response.getheaders()}, b"".join(pieces)
    )


def _left(ends: float) -> float:
    """Return the seconds that are left; raise a timeout error if there are none."""
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
