"""Decides by a model's name whether it accepts pictures, because most lists of models do not say so.

A server that does not expect a picture refuses the whole request. So an unknown model gets text in place of pictures,
unless the setting `models_that_see` names the model.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

__all__ = ["sees_pictures"]

_BLIND = re.compile(
    r"audio|realtime|transcribe|tts|whisper|embed|search-preview|^o1-mini|^o1-preview|^o3-mini"
    r"|claude-(instant|1|2)|gemini-(1\.0-pro(?!-vision)|pro$)|gpt-3|gpt-oss|codex|deepseek|llama-?3\.[13]|gemma-?3.*\b1b"
)
_SEES = re.compile(
    r"gpt-4o|gpt-4\.[1-9]|gpt-4-turbo|gpt-4-vision|gpt-[5-9]|chatgpt-4o|^o[134](-|$)|claude|gemini|vision|[-_.\d]vl\b|vl[-_:]|llava"
    r"|pixtral|internvl|minicpm-?v|minicpm-o|molmo|gemma-?[34]|llama-?4|mistral-(small|medium)-(3|latest|2[5-9])|mistral-large-(3|2[5-9])"
    r"|ministral-3|magistral|phi-4-multimodal|grok-(4|5|2-vision)|glm-\d(\.\d)?v|kimi-k2\.[5-9]|kimi-vl|nova-(lite|pro|premier)|qwen3\.[5-9]"
)


def sees_pictures(provider: str, model: str, named: Sequence[str] = ()) -> bool:
    """Return whether `model` of `provider` accepts pictures; `named` contains the user's patterns, like
    `ollama:*vl*`."""
    whole = f"{provider}:{model}".lower()
    if any(fnmatchcase(whole, pattern.lower()) for pattern in named):
        return True
    name = model.lower().rpartition("/")[2]
    return bool(_SEES.search(name)) and not _BLIND.search(name)
