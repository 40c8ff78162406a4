"""What providers' finish reasons mean: the values of `finish_reason`, `finishReason` and `stop_reason` in all dialects.
Pure.

Sources: Google's `FinishReason` (Gemini API and Vertex AI), OpenAI's chat completions, Anthropic's "Stop reasons and
fallback", OpenRouter's normalized and native reasons, and the references of DeepSeek, Mistral, Z.ai and vLLM. Gemini's
OpenAI-compatible endpoint writes `function_call_filter: MALFORMED_FUNCTION_CALL`, so a value is split and each part is
looked up.
"""

import re
from typing import Literal, TypeAlias

__all__ = ["Meaning", "explained", "meaning_of"]

Meaning: TypeAlias = Literal["complete", "length", "content_filter", "bad_call", "failed", "unknown"]

_BAD_CALLS = {
    "malformed_function_call": "the model wrote a tool call that is not valid",
    "malformed_tool_call": "the model wrote a tool call that is not valid",
    "tool_use_failed": "the model wrote a tool call that is not valid",
    "unexpected_tool_call": "the model called a tool that does not exist or was not offered",
    "too_many_tool_calls": "the model called too many tools in a row",
    "missing_thought_signature": "a call in this chat lacks the signature that the model needs",
    "malformed_response": "the model wrote a reply that is not valid",
}
"""If a reply ends with one of these reasons, none of its calls may run, not even a call that looks complete."""
_FAILED = {
    "error": "an error occurred",
    "network_error": "its own network failed",
    "insufficient_system_resource": "it ran out of resources",
    "abort": "the reply was aborted",
    "aborted": "the reply was aborted",
    "cancelled": "the reply was cancelled",
    "other": "of an error that it does not describe",
    "finish_reason_unspecified": "of an error that it does not describe",
    "no_image": "the model was asked for a picture and made none",
    "image_other": "the picture could not be made",
    "pause_turn": "it paused in the middle of its work",
}
_WORDS: dict[Meaning, frozenset[str]] = {
    "bad_call": frozenset(_BAD_CALLS),
    "failed": frozenset(_FAILED),
    "content_filter": frozenset({
        "content_filter", "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
        "model_armor", "image_safety", "image_prohibited_content", "image_recitation", "refusal", "sensitive",
        "blocked",
    }),
    "length": frozenset({
        "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded",
    }),
    "complete": frozenset({
        "stop", "tool_calls", "tool_call", "function_call", "tool_use", "end_turn", "stop_sequence", "eos",
        "eos_token", "completed",
    }),
}  # fmt: skip
"""The reasons for each meaning, sorted by precedence: a bad call counts first, whatever other reasons the reply has."""


def meaning_of(*words: str) -> Meaning:
    """Return what a reply's finish reasons mean together: the worst meaning, or unknown if there are no reasons."""
    pieces = {piece for word in words for piece in re.split(r"[^a-z0-9_]+", word.lower())}
    return next((meaning for meaning, known in _WORDS.items() if pieces & known), "unknown")


def explained(word: str) -> str:
    """Return a clause that says what happened, for a reason that means `bad_call` or `failed`; otherwise ""."""
    pieces = re.split(r"[^a-z0-9_]+", word.lower())
    known = _BAD_CALLS | _FAILED
    return next((known[piece] for piece in pieces if piece in known), "")
