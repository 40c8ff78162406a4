"""Fetching a bundle from an address that the user gave: from the internet alone, and no more than a bundle may have."""

import ipaddress
import socket
from urllib.parse import urljoin, urlsplit

import httpx

from engine.errors import Invalid, Refused, Unavailable

__all__ = ["fetch"]

_MOST = 100 << 20
_REDIRECTS = 5


def fetch(url: str) -> bytes:
    """Return what stands at `url`.

    Raises:
        Invalid: it is no address of that kind.
        Refused: it, or one that it leads to, is not of the internet, or it holds more than a bundle may.
        Unavailable: it cannot be had.
    """
    at = url
    with httpx.Client(trust_env=False, timeout=30.0, follow_redirects=False) as client:
        for _ in range(_REDIRECTS):
            _require_public(at)
            try:
                with client.stream("GET", at, headers={"accept-encoding": "identity"}) as answer:
                    if not answer.is_redirect:
                        return _body(answer)
                    at = urljoin(at, answer.headers.get("location", ""))
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise Unavailable("fetch_failed", f"{at} cannot be fetched: {error}.") from error
    raise Refused("fetch_refused", f"{url} leads on more than {_REDIRECTS} times.")


def _body(answer: httpx.Response) -> bytes:
    if answer.status_code != 200:
        raise Unavailable("fetch_failed", f"{answer.url} answers {answer.status_code}.")
    got = bytearray()
    for chunk in answer.iter_bytes():
        got += chunk
        if len(got) > _MOST:
            raise Refused("fetch_refused", f"{answer.url} holds more than {_MOST >> 20} MiB.")
    return bytes(got)


def _require_public(url: str) -> None:
    """Refuse what would reach this machine or its neighbours in place of the internet."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        host, port = None, 0
    if not host or parts.scheme not in ("http", "https"):
        raise Invalid("url", f"{url[:200]!r} is no http or https address.")
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise Unavailable("fetch_failed", f"The name {host} is not known.") from None
    if not all(ipaddress.ip_address(address.partition("%")[0]).is_global for address in found):
        raise Refused(
            "fetch_refused", f"{host} is not an address of the internet. Download it, and give the file."
        )
