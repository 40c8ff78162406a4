"""Anthropic's messages API."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.models.anthropic_replies import AnthropicReply
from engine.models.anthropic_requests import anthropic_body
from engine.models.failures import Place
from engine.models.model import ModelRequest
from engine.models.replies import ReplyReader

__all__ = ["Anthropic"]


class Anthropic:
    """See `Dialect`."""

    headers: Mapping[str, str] = MappingProxyType({"anthropic-version": "2023-06-01"})

    def body(self, request: ModelRequest, place: Place) -> bytes:  # noqa: ARG002 - there is one Anthropic
        """See `Dialect.body`."""
        return anthropic_body(request)

    def reader(self, place: Place) -> ReplyReader:  # noqa: ARG002
        """See `Dialect.reader`."""
        return AnthropicReply()
