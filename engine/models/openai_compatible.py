"""The chat-completions dialect: OpenAI and every compatible server."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from engine.models.addresses import below
from engine.models.call_ids import IdRule
from engine.models.dialect import Dialect, Place
from engine.models.model import ModelRequest
from events.json_value import JSON

if TYPE_CHECKING:
    from engine.models.replies import ReplyReader

__all__ = ["CHAT_COMPLETIONS"]


class _ChatCompletions(Dialect):
    """The chat completions API of OpenAI and of every server that is compatible with it."""

    ids = IdRule(re.compile(r"[!-~]{1,40}|[!-~]*__thought__[!-~]*"))
    """OpenAI accepts up to 40 characters; LiteLLM stores Gemini's thought signature in longer ids, which it expects
    back.
    """
    usual_parameters: ClassVar[Mapping[str, JSON]] = MappingProxyType(
        {"stream_options": {"include_usage": True}}
    )

    def base_path(self, path: str) -> str:
        """See `Dialect.base_path`: gateways have paths of any form."""
        return path or f"/{self.version}"

    def endpoint(self, base: str, model: str) -> str:  # noqa: ARG002 - the body names it
        """See `Dialect.endpoint`."""
        return below(base, "/chat/completions")

    def body(self, request: ModelRequest, place: Place) -> bytes:
        """See `Dialect.body`."""
        from engine.models.openai_requests import openai_body  # noqa: PLC0415 - loads when a model is asked

        return openai_body(request, place.provider)

    def reader(self, place: Place) -> "ReplyReader":
        """See `Dialect.reader`."""
        from engine.models.openai_replies import OpenAIReply  # noqa: PLC0415 - loads when a model answers

        return OpenAIReply(place.provider.id)


CHAT_COMPLETIONS = _ChatCompletions()
