"""Finds the model for a model name. Only this module knows which providers exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import Refused
from engine.models.context_window import context_window
from engine.models.dialect import Place, Provider, base_of
from engine.models.model import Model
from engine.models.providers import PROVIDERS
from engine.models.scripted import ScriptedModel, read_script
from engine.models.vision import sees_pictures

if TYPE_CHECKING:
    from engine.models.provider_discovery import ProviderDiscovery, ProviderOffer

__all__ = ["RERUN", "Keys", "Models", "model_title"]

RERUN = "rerun"
"""The name used in place of a model in turns whose calls ran again without a model."""

Keys: TypeAlias = Callable[[str], str | None]
"""Returns the user's key for a provider's id; None if there is none."""


class Models:
    """Resolves model names with the user's keys, and lists the available models. Thread-safe."""

    def __init__(
        self,
        keys: Keys,
        base_urls: Callable[[], Mapping[str, str]] = dict,
        *,
        only_offline: bool = False,
        that_see: Callable[[], Sequence[str]] = tuple,
        windows: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        """`that_see` returns the user's patterns for models that accept pictures. `windows` returns the user's limits
        for requests in tokens, by pattern.
        """
        self._keys = keys
        self._that_see = that_see
        self._windows = windows
        self._only_offline = only_offline
        self._base_urls = base_urls
        """The user's own addresses of providers, by id."""
        self._offers: ProviderDiscovery | None = None

    def resolve(self, name: str, base_url: str | None = None) -> Model:
        """Return the model with a `name`, at `base_url` if that is given.

        Raises:
            Refused: this release does not know the provider, no model is named, the address is not valid, or only the
                offline analyst may be used.
            NotFound, Invalid: a script that does not exist or is not valid.
        """
        provider, _, rest = name.partition(":")
        if provider == "offline":
            from engine.models.offline.analyst import (  # noqa: PLC0415 - its lexicon loads when it is asked
                OfflineModel,
            )

            return OfflineModel()
        if self._only_offline:
            raise Refused(
                "model_elsewhere",
                f"In this public demo only the offline analyst answers, not {name}. Choose the offline analyst in the "
                "model menu, or run Anabranch on your own machine to use other models.",
            )
        if provider == "scripted" and rest:
            return ScriptedModel(read_script(Path(rest).expanduser()))
        known = PROVIDERS.get(provider)
        if known is None:
            listed = ", ".join(f"`{each}:MODEL`" for each in PROVIDERS)
            raise Refused(
                "model_unknown",
                f"This release cannot use the model {name}. Choose `offline`, or `scripted:FILE` with a script of "
                f"replies, or one of {listed}.",
            )
        if not rest.strip():
            raise Refused(
                "model_unnamed",
                f"{name} does not name a model. Write {known.id}:MODEL, with a model of {known.title}.",
            )
        return self._remote(known, rest.strip(), base_url or self._base_urls().get(known.id))

    def offers(self, refresh: bool = False) -> list[ProviderOffer]:
        """Return the available providers with their models. With `refresh`, the providers are asked again."""
        if self._only_offline:
            return []
        from engine.models.provider_discovery import ProviderDiscovery  # noqa: PLC0415 - httpx loads when somebody looks

        offers = self._offers
        if offers is None:
            offers = self._offers = ProviderDiscovery(self._keys, self._base_urls)
        return offers.current(refresh=refresh)

    def window(self, name: str, base_url: str | None = None) -> int | None:
        """Return the maximum number of tokens in a request to a model; None for offline and scripted models.

        Uses what providers have listed so far, and sends no request.
        """
        provider, _, model = name.partition(":")
        if provider in ("offline", "scripted"):
            return None
        listed = self._offers.windows(provider, base_url) if self._offers else {}
        return context_window(provider, model.strip(), listed=listed, setting=self._windows())

    def look_again(self) -> None:
        """Drop the cached offers, because a provider's key or address changed."""
        self._offers = None

    def _remote(self, provider: Provider, model: str, base_url: str | None) -> Model:
        from engine.models.http_model import RemoteModel  # noqa: PLC0415 - httpx loads when a model needs it

        base = base_of(provider, base_url)
        place = Place(provider, base, model, (self._keys(provider.id) or "").strip() or None)
        own = base_of(provider, None) if provider.base_url else ""
        return RemoteModel(
            place,
            needs_key=not provider.local and base == own,
            sees=sees_pictures(provider.id, model, self._that_see()),
            window=self.window(f"{provider.id}:{model}", base_url),
        )


def model_title(name: str) -> str:
    """Return a model's name for display."""
    provider, _, rest = name.partition(":")
    if provider == "offline":
        return "Offline analyst"
    if provider == RERUN:
        return "Run again, no model"
    return f"Script {Path(rest).name}" if provider == "scripted" else rest or name
