"""Anthropic's messages API."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from engine.models.addresses import below
from engine.models.call_ids import IdRule
from engine.models.dialect import Dialect, Place, Provider
from engine.models.model import ModelRequest
from events.json_value import JSON

if TYPE_CHECKING:
    from engine.models.replies import ReplyReader

__all__ = ["ANTHROPIC"]

_SHORT_ANSWERS = ((re.compile(r"claude-3-(opus|sonnet|haiku)"), 4096), (re.compile(r"claude-3-5"), 8192))
"""The maximum number of tokens in a reply of older models, which refuse requests for more."""


class _Messages(Dialect):
    """Anthropic's messages API."""

    headers: ClassVar[Mapping[str, str]] = MappingProxyType({"anthropic-version": "2023-06-01"})
    ids = IdRule(re.compile(r"[a-zA-Z0-9_-]{1,64}"))
    usual_parameters: ClassVar[Mapping[str, JSON]] = MappingProxyType({"max_tokens": 16_000})
    list_query: ClassVar[Mapping[str, str]] = MappingProxyType({"limit": "1000"})  # the default is low

    def endpoint(self, base: str, model: str) -> str:  # noqa: ARG002 - the body names it
        """See `Dialect.endpoint`."""
        return below(base, "/messages")

    def parameters(self, provider: Provider, model: str) -> Mapping[str, JSON]:
        """See `Dialect.parameters`."""
        usual = super().parameters(provider, model)
        most = next((tokens for older, tokens in _SHORT_ANSWERS if older.search(model)), None)
        return usual if most is None else {**usual, "max_tokens": most}

    def body(self, request: ModelRequest, place: Place) -> bytes:
        """See `Dialect.body`."""
        from engine.models.anthropic_requests import anthropic_body  # noqa: PLC0415 - loads when a model is asked

        return anthropic_body(request, place.provider.ids)

    def reader(self, place: Place) -> "ReplyReader":  # noqa: ARG002 - used by other dialects
        """See `Dialect.reader`."""
        from engine.models.anthropic_replies import AnthropicReply  # noqa: PLC0415 - loads when a model answers

        return AnthropicReply()


ANTHROPIC = Provider(
    "anthropic",
    "Anthropic",
    _Messages(),
    "https://api.anthropic.com",
    ("ANTHROPIC_API_KEY",),
    key_header="x-api-key",
)
