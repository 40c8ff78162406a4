"""Reads servers' lists of models: the names of chat models, and their context windows in tokens. Pure."""

from collections.abc import Mapping

from engine.models.json_access import integer_of, object_of, objects_of, text_of
from events.json_value import JSON, JSONObject

__all__ = ["listed_models", "listed_window"]

_LISTED = (
    "loaded_context_length",  # LM Studio: the window with which the model was loaded
    "max_input_tokens",  # Anthropic
    "inputTokenLimit",  # Gemini
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together, Fireworks, Moonshot
    "context_window",  # Groq
    "max_context_length",  # Mistral, LM Studio
)


def listed_models(listed: JSON) -> Mapping[str, int | None] | None:
    """Return the names in a list of the usual form, with each model's window in tokens if given; None if it is not such
    a list.
    """
    told = object_of(listed)
    if isinstance(listed, list) or isinstance(told.get("data"), list):
        entries = objects_of(listed) or objects_of(told.get("data"))
        if entries and not any(text_of(entry.get("id")) for entry in entries):
            return None
        found = {text_of(entry.get("id")): listed_window(entry) for entry in entries if _chats(entry)}
        return {name: tokens for name, tokens in found.items() if name}
    return {} if told.get("object") == "list" else None  # Ollama without models returns `"data": null`


def _chats(entry: Mapping[str, JSON]) -> bool:
    """Return whether an entry is a chat model, judging by what the server says about it or by its name."""
    capabilities = object_of(entry.get("capabilities"))
    if capabilities.get("completion_chat") is False or entry.get("type") in (
        "embedding",
        "embeddings",
        "image",
    ):
        return False
    name = text_of(entry.get("id")).lower()
    others = ("embed", "whisper", "tts-", "dall-e", "moderation", "rerank", "gpt-image", "transcribe", "sora")
    return not any(word in name for word in others)


def listed_window(entry: JSONObject) -> int | None:
    """Return the tokens in an entry of a provider's list of models; None if it does not state them."""
    meta, host = object_of(entry.get("meta")), object_of(entry.get("top_provider"))
    told = [_positive(meta, "n_ctx"), *(_positive(entry, name) for name in _LISTED)]
    told += [_positive(host, "context_length"), _positive(meta, "n_ctx_train")]
    found = next((tokens for tokens in told if tokens), None)
    served = _positive(host, "context_length")  # OpenRouter: the limit of its best host
    return min(found, served) if found and served else found


def _positive(source: Mapping[str, JSON], name: str) -> int | None:
    number = integer_of(source, name)
    return number if number is not None and number > 0 else None
