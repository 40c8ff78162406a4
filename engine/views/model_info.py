"""The page's texts about models: their names, and the first questions that the page suggests."""

from collections.abc import Sequence

from engine.models.provider_discovery import ProviderOffer
from engine.models.providers import PROVIDERS
from engine.models.registry import model_title
from engine.tools.tool import Tool
from engine.toolsets.availability import BY_ADMINISTRATOR
from engine.workspace.table_facts import TableProfile

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
    """Return every known provider: id → title."""
    return {provider.id: provider.title for provider in PROVIDERS.values()}


def opening_questions(tables: Sequence[TableProfile]) -> tuple[str, ...]:
    """See `engine.models.offline.suggest.opening_questions`."""
    from engine.models.offline import suggest  # noqa: PLC0415 - the analyst is imported when it is asked

    return tuple(suggest.opening_questions(tables))


def without_offer(text: str) -> tuple[str, tuple[str, ...]]:
    """See `engine.models.offline.replies.without_offer`."""
    from engine.models.offline import replies  # noqa: PLC0415 - as above

    return replies.without_offer(text)
