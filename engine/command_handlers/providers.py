"""The user's model providers: which models can be chosen, and the keys, which are stored outside the data folder."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from engine.config import Settings
from engine.models.providers import PROVIDERS
from engine.models.registry import Models
from engine.secrets.secret_names import model_secret
from engine.secrets.vault import Place, Vault

if TYPE_CHECKING:
    from engine.models.provider_discovery import ProviderOffer

__all__ = ["Providers"]


class Providers:
    """Models with the user's keys and addresses. Thread-safe."""

    def __init__(
        self,
        vault: Vault,
        settings: Callable[[], Settings],
        *,
        only_offline: bool = False,
    ) -> None:
        """With `only_offline`, the offline analyst is the only model, and no provider is contacted."""
        self._vault = vault
        self.models = Models(
            self._key,
            lambda: settings().base_urls,
            only_offline=only_offline,
            that_see=lambda: settings().models_that_see,
            windows=lambda: settings().context_window,
        )

    def offers(self, *, refresh: bool = False) -> "list[ProviderOffer]":
        """Return the available providers and their status. The providers are contacted again if the known status is old
        or `refresh` is true."""
        return self.models.offers(refresh)

    def set_key(self, provider: str, value: str | None) -> None:
        """Store the user's key for a provider; None removes it.

        Raises:
            Invalid: the value cannot be a key.
        """
        if value is None:
            self._vault.remove(model_secret(provider))
        else:
            self._vault.set(model_secret(provider), value)
        self.models.look_again()

    def key_place(self, provider: str) -> Place | None:
        """Return where a provider's key is stored: keyring, file, environment or Streamlit's secrets; None if there is
        no key.
        """
        return self._vault.where(model_secret(provider), self._variables(provider))

    def check_addresses(self, base_urls: Mapping[str, object]) -> None:
        """Raise an error if `base_urls` names an unknown provider or contains an invalid address."""
        for provider, url in base_urls.items():
            self.models.resolve(f"{provider}:any", str(url))

    def _key(self, provider: str) -> str | None:
        return self._vault.get(model_secret(provider), self._variables(provider))

    @staticmethod
    def _variables(provider: str) -> tuple[str, ...]:
        known = PROVIDERS.get(provider)
        return known.key_variables if known else ()
