"""What the page may know of models and tools: their names, and questions to begin with."""

from engine.models.offline.replies import without_offer
from engine.models.offline.suggest import opening_questions
from engine.models.provider_discovery import ProviderOffer
from engine.models.providers import PROVIDERS
from engine.models.registry import model_title
from engine.tools.tool import Tool
from engine.toolsets.availability import BY_ADMINISTRATOR

__all__ = [
    "BY_ADMINISTRATOR",
    "ProviderOffer",
    "Tool",
    "known_providers",
    "model_title",
    "opening_questions",
    "without_offer",
]


def known_providers() -> dict[str, str]:
    """Every provider that can be spoken to: id → title."""
    return {provider.id: provider.title for provider in PROVIDERS.values()}
