"""Parses and joins the addresses of model servers, and finds out whether they are local or private."""

import ipaddress
import re
from urllib.parse import urlsplit, urlunsplit

__all__ = ["below", "has_version", "host_of", "is_loopback", "is_private"]

_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")


def has_version(path: str) -> bool:
    """Return whether the path of a base URL names a version."""
    return _VERSION.search(path) is not None


def below(base: str, path: str, query: str = "") -> str:
    """Return the URL of `path` below `base`. The query of `base` is kept, and `query` is added to it."""
    parts = urlsplit(base)
    queries = "&".join(text for text in (parts.query, query) if text)
    return urlunsplit((parts.scheme, parts.netloc, parts.path + path, queries, ""))


def host_of(base: str) -> str:
    """Return the host and port, for messages to the user."""
    return urlsplit(base).netloc


def is_loopback(base: str) -> bool:
    """Return whether `base` is on this machine."""
    host = urlsplit(base).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_private(base: str) -> bool:
    """Return whether `base` is on this machine or in the user's network, judging only by its host name."""
    host = urlsplit(base).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        own = (".localhost", ".local", ".lan", ".internal", ".home.arpa", ".ts.net")
        return "." not in host or host.endswith(own)
    return not address.is_global
