"""A provider's API format, its address and the chosen model: the values that define every remote model.

A dialect is an object of a subclass of `Dialect`, which has its own module. A provider names its dialect and its
differences from that dialect.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit, urlunsplit

from engine.errors import Refused
from engine.models.addresses import below, has_version, host_of
from engine.models.call_ids import IdRule
from engine.models.json_access import object_of, objects_of
from engine.models.model import ModelRequest
from engine.models.model_lists import listed_models
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from engine.models.replies import ReplyReader

__all__ = ["Dialect", "Place", "Provider", "base_of"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Dialect(ABC):
    """Writes requests, reads replies and lists models. It has no state."""

    headers: ClassVar[Mapping[str, str]] = _NOTHING
    """Headers of every request, in addition to the key."""
    version: ClassVar[str] = "v1"
    """The version segment for addresses that name no version."""
    ids: ClassVar[IdRule]
    """The rule for call ids."""
    usual_parameters: ClassVar[Mapping[str, JSON]] = MappingProxyType({})
    """Parameters of every request, in addition to the messages, unless the provider defines others."""
    list_query: ClassVar[Mapping[str, str]] = _NOTHING
    """The query of the address that lists models."""

    @abstractmethod
    def endpoint(self, base: str, model: str) -> str:
        """Return the URL for requests to `model`; `base` comes from `base_of`."""

    @abstractmethod
    def body(self, request: ModelRequest, place: "Place") -> bytes:
        """Return the body of `request`; the same request gives the same bytes."""

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
        """Return the chat models in a list, with each model's window in tokens if given; None if it is not a list of
        models."""
        return listed_models(listed)

    def error(self, answer: JSON) -> JSONObject:
        """Return the error in an answer that refuses a request, as an object with `message`, `code`, `type` and
        `status`."""
        outer = objects_of(answer)[0] if objects_of(answer) else object_of(answer)
        inner = outer.get("error")
        return object_of(inner) or ({"message": inner} if inner else outer)


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider."""

    id: str
    """The provider's id, the part of a model's name before the colon."""
    title: str
    dialect: Dialect
    base_url: str
    """The provider's public address, or the usual address of a local server; empty: the user must give an address."""
    key_variables: tuple[str, ...] = ()
    """Environment variables that may contain the provider's key; the first one that is set is used."""
    local: bool = False
    """Whether the provider runs on the user's machine and needs no key."""
    parameters: Mapping[str, JSON] | None = None
    """The parameters of its requests, in addition to the messages; None: the dialect's parameters."""
    key_header: str = "authorization"
    """The header for the key; `authorization` sends it as a bearer token."""
    own_ids: IdRule | None = None
    """The rule for the call ids that it accepts; None: the dialect's rule."""
    reasoning_field: str = ""
    """The field in which it expects a reply's reasoning in later requests; empty: it expects none."""
    reasoning_required: bool = False
    """Whether it refuses past messages with calls if their reasoning is missing or empty, even messages of other
    models."""
    max_tokens_field: str = "max_tokens"
    assistant_after_tools: bool = False
    """Whether it refuses a user's message that directly follows tool results."""
    tool_choice_none: bool = True
    """Whether it accepts tools that the reply must not call. If not, such a request is sent without tools."""

    @property
    def ids(self) -> IdRule:
        """The rule for the call ids that the provider accepts."""
        return self.own_ids or self.dialect.ids


@dataclass(frozen=True, slots=True)
class Place:
    """The model to use, and its address."""

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
        """The headers of every request: the dialect's headers, and the key if there is one."""
        if not self.key:
            return self.provider.dialect.headers
        name = self.provider.key_header
        key = f"Bearer {self.key}" if name == "authorization" else self.key
        return {**self.provider.dialect.headers, name: key}


def base_of(provider: Provider, given: str | None) -> str:
    """Return the base URL to use: the user's or the provider's, with its version segment, without a final slash.

    Raises:
        Refused: there is no base URL, or it is not an http address.
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
