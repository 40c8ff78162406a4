"""Gemini's own API (`streamGenerateContent`)."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.models.failures import Place
from engine.models.gemini_replies import GeminiReply
from engine.models.gemini_requests import gemini_body
from engine.models.model import ModelRequest
from engine.models.replies import ReplyReader

__all__ = ["Gemini"]


class Gemini:
    """See `Dialect`."""

    headers: Mapping[str, str] = MappingProxyType({})

    def body(self, request: ModelRequest, place: Place) -> bytes:  # noqa: ARG002 - there is one Gemini
        """See `Dialect.body`."""
        return gemini_body(request)

    def reader(self, place: Place) -> ReplyReader:  # noqa: ARG002
        """See `Dialect.reader`."""
        return GeminiReply()
