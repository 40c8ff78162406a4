"""The providers that are known, as data: where each is, how it is spoken to, in what it differs from its dialect."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from engine.models.conversation import IdRule
from events.canonical import JSON

__all__ = ["PROVIDERS", "DialectName", "Provider", "as_served", "parameters_of"]

DialectName: TypeAlias = Literal["openai", "gemini", "anthropic"]

_USAGE: Mapping[str, JSON] = MappingProxyType({"stream_options": {"include_usage": True}})
_NOTHING: Mapping[str, JSON] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider."""

    id: str
    """What stands before the colon of a model's name."""
    title: str
    base_url: str
    """Its public address, or where a local server usually listens; empty: the user must give one."""
    key_variables: tuple[str, ...] = ()
    """Environment variables that may hold its key, the first that is set counts."""
    dialect: DialectName = "openai"
    local: bool = False
    """It runs on the user's machine and needs no key."""
    parameters: Mapping[str, JSON] = field(default_factory=lambda: _USAGE)
    """What its requests carry beside the messages."""
    key_header: str = "authorization"
    """Where the key goes; `authorization` takes it as a bearer token."""
    id_rule: IdRule = "openai"
    """Which call ids it takes."""
    reasoning_field: str = ""
    """The field in which it wants a reply's reasoning back; empty: nowhere."""
    reasoning_required: bool = False
    """It refuses a past message with calls whose reasoning is missing or empty, also one of another model."""
    max_tokens_field: str = "max_tokens"
    assistant_after_tools: bool = False
    """It refuses a user's message that follows tool results directly."""
    tool_choice_none: bool = True
    """It takes tools that the reply must not call. Otherwise such a request is sent without tools."""


_ALL = (
    Provider(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        dialect="gemini",
        parameters=_NOTHING,
        key_header="x-goog-api-key",
        id_rule="given",
    ),
    Provider(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        dialect="anthropic",
        parameters=MappingProxyType({"max_tokens": 16_000}),
        key_header="x-api-key",
        id_rule="anthropic",
    ),
    Provider(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        reasoning_field="reasoning",
    ),
    Provider(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        parameters=_NOTHING,  # it counts without being asked, and refuses fields that it does not know
        id_rule="mistral",
        assistant_after_tools=True,
    ),
    Provider("groq", "Groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    Provider(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        reasoning_field="reasoning_content",
        reasoning_required=True,
    ),
    Provider(
        "moonshot",
        "Moonshot",
        "https://api.moonshot.ai/v1",
        ("MOONSHOT_API_KEY",),
        reasoning_field="reasoning_content",
        reasoning_required=True,
    ),
    Provider(
        "zai",
        "Z.ai",
        "https://api.z.ai/api/paas/v4",
        ("ZAI_API_KEY",),
        reasoning_field="reasoning_content",
    ),
    Provider("xai", "xAI", "https://api.x.ai/v1", ("XAI_API_KEY",)),
    Provider("together", "Together", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    Provider("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    Provider("cerebras", "Cerebras", "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    Provider(
        "azure",
        "Azure OpenAI",
        "",
        ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"),
        key_header="api-key",
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        "ollama",
        "Ollama",
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        local=True,
        tool_choice_none=False,
    ),
    Provider("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", ("LMSTUDIO_API_KEY",), local=True),
    Provider("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", ("LLAMACPP_API_KEY",), local=True),
    Provider("vllm", "vLLM", "http://127.0.0.1:8000/v1", ("VLLM_API_KEY",), local=True),
)

PROVIDERS: Mapping[str, Provider] = MappingProxyType({provider.id: provider for provider in _ALL})
"""By id. `openai` with any base URL stands for any gateway of its dialect."""


_SHORT_ANSWERS = ((re.compile(r"claude-3-(opus|sonnet|haiku)"), 4096), (re.compile(r"claude-3-5"), 8192))
"""Older models refuse to be asked for more than they can write."""
_THINKING = re.compile(r"gemini-(2\.5|[3-9]|\d\d)")
_NOT_THINKING = re.compile(r"image|tts|audio|live|embedding|robotics|computer-use")


def parameters_of(provider: Provider, model: str) -> Mapping[str, JSON]:
    """What requests to `model` carry beside the messages."""
    parameters = dict(provider.parameters)
    for older, most in _SHORT_ANSWERS:
        if "max_tokens" in parameters and older.search(model):
            parameters["max_tokens"] = most
    if provider.dialect == "gemini" and _THINKING.search(model) and not _NOT_THINKING.search(model):
        parameters["generationConfig"] = {"thinkingConfig": {"includeThoughts": True}}
    return MappingProxyType(parameters)


_BEHIND_A_GATEWAY = (
    (re.compile("deepseek", re.IGNORECASE), "deepseek"),
    (re.compile("kimi", re.IGNORECASE), "moonshot"),
)


def as_served(provider: Provider, model: str) -> Provider:
    """`provider` with what its gateway passes through from the provider whose model it serves."""
    if provider.id != "openai":
        return provider
    for name, maker in _BEHIND_A_GATEWAY:
        if name.search(model):
            own = PROVIDERS[maker]
            return replace(
                provider, reasoning_field=own.reasoning_field, reasoning_required=own.reasoning_required
            )
    return provider
