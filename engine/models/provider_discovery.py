"""Finds the providers that can be used now, and the models in their lists.

Servers on this machine are looked for at their usual ports and offered if they answer as model servers; remote
providers are asked only if the user has a key. Results are cached for some minutes, and no errors are raised.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING, Literal

from engine.errors import Refused
from engine.models.addresses import host_of, is_loopback, is_private
from engine.models.dialect import Place, Provider, base_of
from engine.models.failures import quoted
from engine.models.http_exchange import new_client
from engine.models.providers import PROVIDERS
from engine.models.reply_json import parse_json
from engine.system.lazy_module import LazyModule
from events.json_value import JSON
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    import httpx
else:
    httpx = LazyModule("httpx")

__all__ = ["ProviderDiscovery", "ProviderOffer"]

_KEPT_SECONDS = 300.0
_MOST_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class ProviderOffer:
    """A provider that the user can choose."""

    provider: str
    title: str
    state: Literal["ready", "no_key", "unreachable"]
    detail: str
    """A sentence that says why the provider is in this state, and what to do."""
    base_url: str
    models: tuple[str, ...]
    """The models' names, as the provider lists them, without the provider's own name."""
    windows: Mapping[str, int] = field(default_factory=dict)
    """Model name → the tokens that the model reads, for models whose list states this."""


class ProviderDiscovery:
    """Asks providers for their models, all at once, and caches the answers."""

    def __init__(
        self,
        keys: Callable[[str], str | None],
        base_urls: Callable[[], Mapping[str, str]],
        *,
        providers: Mapping[str, Provider] = PROVIDERS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._keys = keys
        self._base_urls = base_urls
        self._providers = providers
        self._clock = clock
        self._lock = Lock()
        self._kept: tuple[float, list[ProviderOffer]] | None = None

    def current(self, *, refresh: bool) -> list[ProviderOffer]:
        """Return the offers. They may be some minutes old, unless `refresh` is set."""
        with self._lock:
            if self._kept is None or refresh or self._clock() - self._kept[0] > _KEPT_SECONDS:
                every = list(self._providers.values())
                with ThreadPoolExecutor(len(every), "model-offers") as pool:
                    found = [offer for offer in pool.map(self._safely, every) if offer is not None]
                self._kept = self._clock(), found
            return list(self._kept[1])

    def windows(self, provider: str, base_url: str | None = None) -> Mapping[str, int]:
        """Return the context windows in the provider's last list of models, at `base_url` if given; send no request."""
        kept = self._kept
        found = [offer for offer in kept[1] if offer.provider == provider] if kept else []
        if not found:
            return {}
        try:
            base = base_of(self._providers[provider], base_url) if base_url else found[0].base_url
        except Refused:
            return {}
        return found[0].windows if base == found[0].base_url else {}

    def _safely(self, provider: Provider) -> ProviderOffer | None:
        """Like `_offer`, but also return an offer if reading the keyring or asking the server fails unexpectedly."""
        try:
            return self._offer(provider)
        except Exception as error:
            if provider.local and provider.id not in self._base_urls():
                return None
            detail = f"It could not be reached ({type(error).__name__}). Retry."
            return ProviderOffer(provider.id, provider.title, "unreachable", detail, provider.base_url, ())

    def _offer(self, provider: Provider) -> ProviderOffer | None:
        given = self._base_urls().get(provider.id)
        if not given and not provider.base_url:
            return None
        try:
            base = base_of(provider, given)
        except Refused as refused:
            return ProviderOffer(provider.id, provider.title, "unreachable", refused.message, given or "", ())
        place = Place(provider, base, "", (self._keys(provider.id) or "").strip() or None)
        if not provider.local and not given and not place.key:
            variable = provider.key_variables[0]
            detail = f"No key. Enter yours in Settings, or set it in {variable}."
            return ProviderOffer(provider.id, provider.title, "no_key", detail, base, ())
        offer = _asked(place)
        return None if offer.state != "ready" and provider.local and not given else offer


def _asked(place: Place) -> ProviderOffer:
    """Ask a provider for its models."""

    def offer(
        state: Literal["ready", "no_key", "unreachable"], detail: str, windows: Mapping[str, int | None] = {}
    ) -> ProviderOffer:
        known = {name: tokens for name, tokens in windows.items() if tokens is not None}
        provider, models = place.provider, tuple(sorted(windows))
        return ProviderOffer(provider.id, provider.title, state, detail, place.base_url, models, known)

    if place.key and place.base_url.startswith("http:") and not is_private(place.base_url):
        return offer(
            "unreachable", f"The key is not sent to {place.host} over http. Use an https:// address."
        )
    try:
        status, listed = _fetched(place)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        if isinstance(error, httpx.ConnectError) and is_loopback(place.base_url):
            return offer("unreachable", f"Nothing is listening at {host_of(place.base_url)}. Start it.")
        return offer("unreachable", f"{place.host} did not answer: {quoted(str(error), place)}")
    if status in (401, 403):
        wanted = "refused the key" if place.key else "requires a key"
        return offer("no_key", f"{place.host} {wanted} (HTTP {status}). Enter yours in Settings.")
    models = place.provider.dialect.models(listed) if status == 200 else None
    if models is None:
        return offer("unreachable", f"The server at {place.host} lists no models (HTTP {status}).")
    return offer("ready", f"{len(models)} models at {place.host}", models)


def _fetched(place: Place) -> tuple[int, JSON]:
    base, dialect = place.base_url, place.provider.dialect
    timeout = httpx.Timeout(0.6, connect=0.3) if is_loopback(base) else httpx.Timeout(10.0)
    ends = time.monotonic() + (timeout.read or 0.0)
    headers = {"user-agent": "anabranch", **place.headers}
    with (
        new_client(base, timeout) as client,
        client.stream(
            "GET", dialect.list_endpoint(base), headers=headers, params=dialect.list_query or None
        ) as response,
    ):
        body = b""
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > _MOST_BYTES or time.monotonic() > ends:
                raise ValueError("its list of models does not end")
        try:
            return response.status_code, parse_json(body.decode("utf-8", "replace"))
        except ValueError:
            return response.status_code, None
