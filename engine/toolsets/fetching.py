"""Fetches a bundle from an address that the user gave: only from the internet, and within the size limit for
bundles."""

import socket
import time
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from engine.errors import AnabranchError, Invalid, Refused, Unavailable
from engine.system.lazy_module import LazyModule
from engine.toolsets.public_addresses import is_of_own_network, is_public

if TYPE_CHECKING:
    import httpx
else:
    httpx = LazyModule("httpx")

__all__ = ["fetch"]

_MOST = 100 << 20
_REDIRECTS = 5
_SECONDS = 600.0
"""The time limit for the whole download in seconds. A server could otherwise send one byte at a time forever."""


def fetch(url: str, *, own_network: bool = False) -> bytes:
    """Return the content at `url`; with `own_network`, even if its host is on a private network.

    Raises:
        Invalid: `url` is not a valid address.
        Refused: the host is on the user's own network (`fetch_own_network`); the address, or one that it redirects to,
        is not public (`fetch_refused`); or the content is too large for a bundle. Unavailable: the content cannot be
        fetched."""
    at, ends = url, time.monotonic() + _SECONDS
    with httpx.Client(trust_env=False, timeout=30.0, follow_redirects=False) as client:
        for _ in range(_REDIRECTS):
            got = _step(client, at, ends, _parsed(url).raw_host if own_network else None)
            if isinstance(got, bytes):
                return got
            at = urljoin(at, got)
    raise Refused("fetch_refused", f"{url} redirects more than {_REDIRECTS} times.")


def _step(client: "httpx.Client", at: str, ends: float, near: bytes | None) -> bytes | str:
    """Return the body at `at`, or the address that it redirects to. Connects only to IP addresses of the host that
    were checked.

    `near` is the host that may be on a private network.
    """
    place = _parsed(at)
    failed: AnabranchError | None = None
    for address in _checked_addresses(place, near=near == place.raw_host):
        try:
            with client.stream(
                "GET",
                place.copy_with(host=address),
                headers={"accept-encoding": "identity", "host": place.netloc.decode("ascii")},
                extensions={"sni_hostname": place.raw_host.decode("ascii")},
            ) as answer:
                if answer.is_redirect:
                    return str(answer.headers.get("location", ""))
                return _body(answer, at, ends)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            failed = Unavailable("fetch_failed", f"{at} cannot be fetched: {error}.")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unavailable("fetch_failed", f"{at} cannot be fetched: {error}.") from error
    assert failed is not None
    raise failed


def _body(answer: "httpx.Response", at: str, ends: float) -> bytes:
    if answer.status_code != 200:
        raise Unavailable("fetch_failed", f"{at} answered with status {answer.status_code}.")
    got = bytearray()
    for chunk in answer.iter_bytes():
        got += chunk
        if len(got) > _MOST:
            raise Refused("fetch_refused", f"{at} is larger than {_MOST >> 20} MiB.")
        if time.monotonic() > ends:
            raise Unavailable("fetch_failed", f"{at} took longer than {_SECONDS:g} seconds.")
    return bytes(got)


def _parsed(url: str) -> "httpx.URL":
    try:
        place = httpx.URL(url)
        place.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError):
        place = httpx.URL()
    if place.scheme not in ("http", "https") or not place.host:
        raise Invalid("url", f"{url[:200]!r} is not an http or https address.")
    return place


def _checked_addresses(place: "httpx.URL", *, near: bool) -> list[str]:
    """Look up a host name once. Refuse the host unless all of its addresses are public or, if `near` is set, all are on
    a private network.

    Connections are then made only to these addresses, so a later change of the name's addresses has no effect.
    """
    host, port = place.raw_host.decode("ascii"), place.port or (443 if place.scheme == "https" else 80)
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unavailable("fetch_failed", f"There is no host named {host}. Check the address.") from None
    found = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if found and all(map(is_of_own_network, found)):
        if near:
            return found
        raise Refused(
            "fetch_own_network",
            f"{host} is on your own network. Confirm that you want to fetch a bundle from there: --own-network in the "
            "terminal, or the button on the page.",
        )
    if not found or not all(map(is_public, found)):
        raise Refused(
            "fetch_refused",
            f"{host} is not an internet address. Download the bundle yourself, then install the file.",
        )
    return found
