"""Finds the size of a model's context window: from the user's settings, its server, its family, or a safe guess.

The numbers in the table are limits for a request; for models that count input and output separately (OpenAI's GPT-5),
limits for the input. They are from the model table of the library litellm, as of November 2026. If hosts of one model
differ, the table has the smallest number.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from engine.models.providers import PROVIDERS

__all__ = ["UNKNOWN_WINDOW", "context_window"]

UNKNOWN_WINDOW = 32_000
"""The window of unknown models, and the largest window that is assumed for a server on the user's machine."""

_NOTHING: Mapping[str, int] = {}
_FAMILIES: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(pattern), tokens)
    for pattern, tokens in (
        # OpenAI
        (r"gpt-oss", 128_000),
        (r"gpt-3\.5", 16_385),
        (r"^gpt-4-32k", 32_768),
        (r"^gpt-4(-0\d{3})?$|^computer-use", 8_192),
        (r"gpt-4\.1", 1_047_576),
        (r"gpt-4|chatgpt-4o|gpt-audio|gpt-5(\.\d)?-chat", 128_000),
        (r"gpt-(5\.[4-9](?!-(mini|nano|cyber))|[6-9])", 922_000),
        (r"gpt-5", 272_000),
        (r"^o1-(mini|preview)", 128_000),
        (r"^o[1-5](-|$)", 200_000),
        # Anthropic
        (r"claude-(instant|1|2\.0|2$)", 100_000),
        (r"claude-([a-z]+-([5-9](?!\d)|4[.-][6-9](?!\d))|mythos|fable)", 1_000_000),
        (r"claude", 200_000),
        # Google
        (r"gemma-?3n|gemma-?3.*\b1b|gemini-(1\.0|pro$)|gemini.*image", 30_720),
        (r"gemma-?[3-9](?!b)|gemini.*(live|audio|computer-use|robotics|omni-flash)", 128_000),
        (r"gemma|gemini.*tts", 8_192),
        (r"gemini", 1_048_576),
        # DeepSeek
        (r"deepseek.*distill", 32_768),
        (r"deepseek-coder-\d", 16_384),
        (r"deepseek-(v[4-9]|flash|pro(?!v))", 1_000_000),
        (r"deepseek", 128_000),
        # Moonshot
        (r"kimi-k[3-9]", 1_000_000),
        (r"kimi-k2(-instruct)?$|kimi-k2-0711|kimi-latest", 128_000),
        (r"kimi-k2", 256_000),
        (r"moonshot-v1-8k", 8_192),
        (r"moonshot-v1-32k", 32_768),
        (r"moonshot|kimi", 128_000),
        # Z.ai
        (r"glm-5[.p-][2-9]|glm-[6-9]", 1_000_000),
        (r"glm-5|glm-4[.p-][67](?!v)", 200_000),
        (r"glm-4[.p-]5v", 64_000),
        (r"glm-4", 128_000),
        # Mistral
        (r"mixtral-8x22b", 64_000),
        (r"mixtral|mistral-(7b|tiny|small$|small-240\d|small-24b)|voxtral|mathstral", 32_000),
        (r"mistral-large-[4-9]", 1_048_576),
        (r"mistral-(large|medium|small)-(latest|2512|2[6-9]\d\d|3[.-]5)|ministral-(3-)?(8|14)b", 256_000),
        (r"magistral-(medium|small)-latest|devstral-(?!small-2)|codestral-mamba", 256_000),
        (r"mistral|ministral|magistral|devstral|codestral|pixtral", 128_000),
        # Qwen
        (r"qwen-?3[.p][5-9].*(plus|max|flash)|qwen-?3-coder-(plus|flash)|qwen-(flash|long)", 980_000),
        (r"qwen-?3[.p][5-9]|qwen-?3.*(max|coder|vl-235b|next|2507)", 256_000),
        (r"qwen-max", 30_000),
        (r"qwen-(plus|turbo)", 128_000),
        (r"qwen|qwq", 32_000),
        # Meta: hosts serve Llama 4 with 128 thousand to 10 million tokens.
        (r"code-?llama", 16_384),
        (r"llama-?(4|v?3[.p-]?[123](?!\d))|hermes-[34]", 128_000),
        (r"llama-?v?3", 8_192),
        (r"llama-?v?2", 4_096),
        # xAI
        (r"grok-4[.-](20|3)(?!\d)", 1_000_000),
        (r"grok-4[.-][5-9](?!\d)|grok-[5-9]", 500_000),
        (r"grok-2-vision", 32_768),
        (r"grok-[23]|grok-4.*fast", 128_000),
        (r"grok", 256_000),
        # Others
        (r"nova-(premier|2-)", 1_000_000),
        (r"nova-(lite|pro)", 300_000),
        (r"minimax-m[3-9]", 512_000),
        (r"minimax", 196_000),
        (r"command-a-(03|reasoning|vision|translate)|jamba|mimo|nemotron-([a-z]+-)?3", 256_000),
        (r"nova-micro|command-[ar]|nemotron|granite-4|phi-4-(mini|multimodal)|phi-3.*128k", 128_000),
        (r"sonar", 127_000),
        (r"phi-4-reasoning", 32_000),
        (r"phi-4", 16_000),
        (r"phi-3", 4_096),
    )
)


def context_window(
    provider: str,
    model: str,
    *,
    listed: Mapping[str, int] = _NOTHING,
    setting: Mapping[str, int] = _NOTHING,
) -> int:
    """Return the maximum number of tokens in a request to `model`.

    `listed` contains the limits from the providers' lists of models. `setting` is the user's setting: it maps patterns
    such as `ollama:*` to tokens, and the longest matching pattern is used.
    """
    whole = f"{provider}:{model}".lower()
    if fitting := [pattern for pattern in setting if fnmatchcase(whole, pattern.lower())]:
        return setting[max(fitting, key=lambda pattern: (len(pattern), pattern))]
    if model in listed:
        return listed[model]
    name = model.lower().rpartition("/")[2].removeprefix("ft:")
    known = next((tokens for family, tokens in _FAMILIES if family.search(name)), UNKNOWN_WINDOW)
    server = PROVIDERS.get(provider)
    return min(known, UNKNOWN_WINDOW) if server is not None and server.local else known
