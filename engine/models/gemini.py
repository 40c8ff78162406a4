"""Gemini's own API (`streamGenerateContent`)."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from engine.models.addresses import below
from engine.models.call_ids import IdRule
from engine.models.dialect import Dialect, Place, Provider
from engine.models.json_access import object_of, objects_of, text_of
from engine.models.model import ModelRequest
from engine.models.model_lists import listed_window
from events.json_value import JSON

if TYPE_CHECKING:
    from engine.models.replies import ReplyReader

__all__ = ["GEMINI"]

_THINKING = re.compile(r"gemini-(2\.5|[3-9]|\d\d)")
_NOT_THINKING = re.compile(r"image|tts|audio|live|embedding|robotics|computer-use")


class _Gemini(Dialect):
    """Gemini's own API (`streamGenerateContent`)."""

    version = "v1beta"
    ids = IdRule(re.compile(r"[!-~]+"), required=False)
    # by default, the API lists only a few models
    list_query: ClassVar[Mapping[str, str]] = MappingProxyType({"pageSize": "1000"})

    def endpoint(self, base: str, model: str) -> str:
        """See `Dialect.endpoint`."""
        name = model if "/" in model else f"models/{model}"
        return below(base, f"/{quote(name, safe='/-._~')}:streamGenerateContent", "alt=sse")

    def parameters(self, provider: Provider, model: str) -> Mapping[str, JSON]:
        """See `Dialect.parameters`. Models that think are asked to show their thinking."""
        usual = super().parameters(provider, model)
        if not _THINKING.search(model) or _NOT_THINKING.search(model):
            return usual
        return {**usual, "generationConfig": {"thinkingConfig": {"includeThoughts": True}}}

    def models(self, listed: JSON) -> Mapping[str, int | None] | None:
        """See `Dialect.models`."""
        told = object_of(listed)
        if not isinstance(told.get("models"), list):
            return super().models(listed)
        named = [m for m in objects_of(told["models"]) if _can_chat(m.get("supportedGenerationMethods"))]
        found = {text_of(m.get("name")).removeprefix("models/"): listed_window(m) for m in named}
        return {name: tokens for name, tokens in found.items() if name}

    def body(self, request: ModelRequest, place: Place) -> bytes:
        """See `Dialect.body`."""
        from engine.models.gemini_requests import gemini_body  # noqa: PLC0415 - loads when a model is asked

        return gemini_body(request, place.provider.ids)

    def reader(self, place: Place) -> "ReplyReader":  # noqa: ARG002 - used by other dialects
        """See `Dialect.reader`."""
        from engine.models.gemini_replies import GeminiReply  # noqa: PLC0415 - loads when a model answers

        return GeminiReply()


def _can_chat(methods: JSON) -> bool:
    return not isinstance(methods, list) or "generateContent" in methods


GEMINI = Provider(
    "gemini",
    "Google Gemini",
    _Gemini(),
    "https://generativelanguage.googleapis.com/v1beta",
    ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    key_header="x-goog-api-key",
)
