"""The known providers, as data: address, dialect, and differences from that dialect.

Adding a provider to this list registers it. A provider with its own dialect is declared next to that dialect.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from engine.models.anthropic import ANTHROPIC
from engine.models.call_ids import IdRule
from engine.models.dialect import Provider
from engine.models.gemini import GEMINI
from engine.models.openai_compatible import CHAT_COMPLETIONS
from events.json_value import JSON

__all__ = ["PROVIDERS"]

_NOTHING: Mapping[str, JSON] = MappingProxyType({})

_ALL = (
    Provider(
        "openai",
        "OpenAI",
        CHAT_COMPLETIONS,
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        max_tokens_field="max_completion_tokens",
    ),
    GEMINI,
    ANTHROPIC,
    Provider(
        "openrouter",
        "OpenRouter",
        CHAT_COMPLETIONS,
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        reasoning_field="reasoning",
    ),
    Provider(
        "mistral",
        "Mistral",
        CHAT_COMPLETIONS,
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        parameters=_NOTHING,  # it reports token counts without a parameter, and refuses unknown fields
        own_ids=IdRule(re.compile(r"[a-zA-Z0-9]{9}"), digits=9),
        assistant_after_tools=True,
    ),
    Provider("groq", "Groq", CHAT_COMPLETIONS, "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    Provider(
        "deepseek",
        "DeepSeek",
        CHAT_COMPLETIONS,
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        reasoning_field="reasoning_content",
        reasoning_required=True,
    ),
    Provider(
        "moonshot",
        "Moonshot",
        CHAT_COMPLETIONS,
        "https://api.moonshot.ai/v1",
        ("MOONSHOT_API_KEY",),
        reasoning_field="reasoning_content",
        reasoning_required=True,
    ),
    Provider(
        "zai",
        "Z.ai",
        CHAT_COMPLETIONS,
        "https://api.z.ai/api/paas/v4",
        ("ZAI_API_KEY",),
        reasoning_field="reasoning_content",
    ),
    Provider("xai", "xAI", CHAT_COMPLETIONS, "https://api.x.ai/v1", ("XAI_API_KEY",)),
    Provider("together", "Together", CHAT_COMPLETIONS, "https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    Provider(
        "fireworks",
        "Fireworks",
        CHAT_COMPLETIONS,
        "https://api.fireworks.ai/inference/v1",
        ("FIREWORKS_API_KEY",),
    ),
    Provider("cerebras", "Cerebras", CHAT_COMPLETIONS, "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    Provider(
        "azure",
        "Azure OpenAI",
        CHAT_COMPLETIONS,
        "",
        ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"),
        key_header="api-key",
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        "ollama",
        "Ollama",
        CHAT_COMPLETIONS,
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        local=True,
        tool_choice_none=False,
    ),
    Provider(
        "lmstudio",
        "LM Studio",
        CHAT_COMPLETIONS,
        "http://127.0.0.1:1234/v1",
        ("LMSTUDIO_API_KEY",),
        local=True,
    ),
    Provider(
        "llamacpp",
        "llama.cpp",
        CHAT_COMPLETIONS,
        "http://127.0.0.1:8080/v1",
        ("LLAMACPP_API_KEY",),
        local=True,
    ),
    Provider("vllm", "vLLM", CHAT_COMPLETIONS, "http://127.0.0.1:8000/v1", ("VLLM_API_KEY",), local=True),
)

PROVIDERS: Mapping[str, Provider] = MappingProxyType({provider.id: provider for provider in _ALL})
"""The providers by id. `openai` with another base URL is used for any gateway of its dialect."""
