"""A provider's API format, its address and the chosen model: the values from which all remote models are built.

A dialect is one object, of a subclass of `Dialect` in a module of its own. A provider names its dialect and its
differences from that dialect.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit, urlunsplit

from engine.errors import Refused
from engine.models.addresses import below, has_version, host_of
from engine.models.call_ids import IdRule
from engine.models.json_access import object_of, objects_of
from engine.models.model import ModelRequest
from engine.models.model_lists import listed_models
from events.canonical import JSON, JSONObject

if TYPE_CHECKING:
    from engine.models.replies import ReplyReader

__all__ = ["Dialect", "Place", "Provider", "base_of"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Dialect(ABC):
    """How a request is written, a reply is read, and models are listed. It has no state."""

    headers: ClassVar[Mapping[str, str]] = _NOTHING
    """Headers of every request, in addition to the key."""
    version: ClassVar[str] = "v1"
    """The version segment of an address that names none."""
    ids: ClassVar[IdRule]
    """The rule for call ids."""
    usual_parameters: ClassVar[Mapping[str, JSON]] = MappingProxyType({})
    """Parameters of every request, in addition to the messages, unless the provider defines others."""
    list_query: ClassVar[Mapping[str, str]] = _NOTHING
    """The query of the address that lists models."""

    @abstractmethod
    def endpoint(self, base: str, model: str) -> str:
        """Return the URL that a reply of `model` is asked at; `base` is of `base_of`."""

    @abstractmethod
    def body(self, request: ModelRequest, place: "Place") -> bytes:
        """Return the body of `request`: the same bytes for the same request."""

    @abstractmethod
    def reader(self, place: "Place") -> "ReplyReader":
        """Return a reader for one reply."""

    def base_path(self, path: str) -> str:
        """Return the path of a base URL with its version segment."""
        return path if has_version(path) else f"{path}/{self.version}"

    def parameters(self, provider: "Provider", model: str) -> Mapping[str, JSON]:  # noqa: ARG002 - for subclasses
        """Return the parameters of requests to `model` besides the messages."""
        return self.usual_parameters if provider.parameters is None else provider.parameters

    def list_endpoint(self, base: str) -> str:
        """Return the URL that lists the models at `base`."""
        return below(base, "/models")

    def models(self, listed: JSON) -> Mapping[str, int | None] | None:
        """Return the chat models, with the tokens that each reads if given; None if it is not a list of models."""
        return listed_models(listed)

    def error(self, answer: JSON) -> JSONObject:
        """Return the error in an answer that refuses a request: an object with `message`, `code`, `type`, `status`."""
        outer = objects_of(answer)[0] if objects_of(answer) else object_of(answer)
        inner = outer.get("error")
        return object_of(inner) or ({"message": inner} if inner else outer)


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider."""

    id: str
    """The part of a model's name before the colon."""
    title: str
    dialect: Dialect
    base_url: str
    """Its public address, or where a local server usually listens; empty: the user must give one."""
    key_variables: tuple[str, ...] = ()
    """Environment variables that may contain its key; the first one that is set counts."""
    local: bool = False
    """It runs on the user's machine and needs no key."""
    parameters: Mapping[str, JSON] | None = None
    """Parameters of its requests, in addition to the messages; None: those of its dialect."""
    key_header: str = "authorization"
    """The header for the key; `authorization` sends it as a bearer token."""
    own_ids: IdRule | None = None
    """The call ids that it accepts, if not those of its dialect."""
    reasoning_field: str = ""
    """The field in which it expects a reply's reasoning in later requests; empty: nowhere."""
    reasoning_required: bool = False
    """It refuses a past message with calls whose reasoning is missing or empty, even a message of another model."""
    max_tokens_field: str = "max_tokens"
    assistant_after_tools: bool = False
    """It refuses a user's message that follows tool results directly."""
    tool_choice_none: bool = True
    """It accepts tools that the reply must not call. Otherwise such a request is sent without tools."""

    @property
    def ids(self) -> IdRule:
        """The call ids that it accepts."""
        return self.own_ids or self.dialect.ids


@dataclass(frozen=True, slots=True)
class Place:
    """The model that is used, and its address."""

    provider: Provider
    base_url: str
    model: str
    key: str | None = None

    @property
    def host(self) -> str:
        """Host and port."""
        return host_of(self.base_url)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request to it: those of the dialect, and the key if there is one."""
        if not self.key:
            return self.provider.dialect.headers
        name = self.provider.key_header
        key = f"Bearer {self.key}" if name == "authorization" else self.key
        return {**self.provider.dialect.headers, name: key}


def base_of(provider: Provider, given: str | None) -> str:
    """Return the base URL to use: the user's or the provider's, with its version segment, without a final slash.

    Raises:
        Refused: there is none, or it is not an http address.
    """
    text = (given or provider.base_url).strip()
    if not text:
        raise Refused(
            "base_url_missing",
            f"{provider.title} has no standard address. Give the base URL of your server, e.g. with --base-url.",
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
    return urlunsplit((parts.scheme, parts.netloc, provider.dialect.base_path(path), parts.query, ""))
