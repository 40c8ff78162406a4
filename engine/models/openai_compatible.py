"""The chat-completions dialect: OpenAI, and every server that speaks as it does."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.models.failures import Place
from engine.models.model import ModelRequest
from engine.models.openai_replies import OpenAIReply
from engine.models.openai_requests import openai_body
from engine.models.replies import ReplyReader

__all__ = ["OpenAICompatible"]


class OpenAICompatible:
    """See `Dialect`."""

    headers: Mapping[str, str] = MappingProxyType({})

    def body(self, request: ModelRequest, place: Place) -> bytes:
        """See `Dialect.body`."""
        return openai_body(request, place.provider)

    def reader(self, place: Place) -> ReplyReader:
        """See `Dialect.reader`."""
        return OpenAIReply(place.provider.id)
