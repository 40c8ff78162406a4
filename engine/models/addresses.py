"""Where a model is: base URLs as people write them, and to which of them a key may go."""

import ipaddress
import re
from urllib.parse import quote, urlsplit, urlunsplit

from engine.errors import Refused
from engine.models.providers import Provider

__all__ = ["base_of", "endpoint", "host_of", "is_loopback", "is_private", "models_endpoint"]

_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")
_DEFAULT_VERSION = {"openai": "v1", "gemini": "v1beta", "anthropic": "v1"}


def base_of(provider: Provider, given: str | None) -> str:
    """The base URL to use: the user's, or the provider's own; with its version segment, without a slash at its end.

    Raises:
        Refused: there is none, or it is no http address.
    """
    text = (given or provider.base_url).strip()
    if not text:
        raise Refused(
            "base_url_missing",
            f"{provider.title} has no address of its own. Give the base URL of yours, e.g. with --base-url.",
        )
    parts = urlsplit(text)
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or parts.username or parts.password:
        raise Refused(
            "base_url_invalid",
            "The base URL of a model must be http://HOST… or https://HOST…, without a user name or a password.",
        )
    path = parts.path.rstrip("/")
    for end in ("/chat/completions", "/messages", "/models"):
        path = path.removesuffix(end)
    if not _VERSION.search(path) and (provider.dialect != "openai" or not path):
        path = f"{path}/{_DEFAULT_VERSION[provider.dialect]}"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def endpoint(provider: Provider, base: str, model: str) -> str:
    """The URL that a reply of `model` is asked at; `base` is of `base_of`."""
    match provider.dialect:
        case "openai":
            return _below(base, "/chat/completions")
        case "anthropic":
            return _below(base, "/messages")
        case "gemini":
            name = model if "/" in model else f"models/{model}"
            return _below(base, f"/{quote(name, safe='/-._~')}:streamGenerateContent", "alt=sse")


def models_endpoint(base: str) -> str:
    """The URL that lists the models at `base`."""
    return _below(base, "/models")


def _below(base: str, path: str, query: str = "") -> str:
    parts = urlsplit(base)
    queries = "&".join(text for text in (parts.query, query) if text)
    return urlunsplit((parts.scheme, parts.netloc, parts.path + path, queries, ""))


def host_of(base: str) -> str:
    """Host and port, for people: what listens, or does not."""
    return urlsplit(base).netloc


def is_loopback(base: str) -> bool:
    """Whether `base` is on this machine."""
    host = urlsplit(base).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_private(base: str) -> bool:
    """Whether `base` is on this machine or in a network of the user's own, as far as its name can tell."""
    host = urlsplit(base).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        own = (".localhost", ".local", ".lan", ".internal", ".home.arpa", ".ts.net")
        return "." not in host or host.endswith(own)
    return not address.is_global
