"""The size of a context window: from the user, the provider's list, the model family, or a safe guess."""

from typing import Any

import pytest

from engine.models.context_window import context_window
from engine.models.model_lists import listed_window
from engine.models.provider_discovery import ProviderDiscovery
from engine.models.registry import Models
from tests.engine.models.test_provider_discovery import at, serving


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("openai:gpt-5", 272_000),
        ("openai:gpt-5.4-mini", 272_000),
        ("openai:gpt-5.5-2026-04-23", 922_000),
        ("openai:gpt-5-chat-latest", 128_000),
        ("openai:gpt-4.1-nano", 1_047_576),
        ("openai:gpt-4o-mini", 128_000),
        ("openai:ft:gpt-4o-2024-08-06:org::id", 128_000),
        ("openai:gpt-4", 8_192),
        ("openai:gpt-4-0613", 8_192),
        ("openai:o3-mini", 200_000),
        ("openai:o1-mini", 128_000),
        ("anthropic:claude-3-5-sonnet-20241022", 200_000),
        ("anthropic:claude-sonnet-4-20250514", 200_000),
        ("anthropic:claude-opus-4-5", 200_000),
        ("anthropic:claude-opus-4-6", 1_000_000),
        ("anthropic:claude-sonnet-5", 1_000_000),
        ("openrouter:anthropic/claude-sonnet-4.6", 1_000_000),
        ("gemini:gemini-3.1-pro-preview", 1_048_576),
        ("gemini:gemma-4-31b-it", 128_000),
        ("deepseek:deepseek-chat", 128_000),
        ("deepseek:deepseek-v4-pro", 1_000_000),
        ("together:deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", 32_768),
        ("mistral:mistral-large-latest", 256_000),
        ("mistral:mistral-large-2411", 128_000),
        ("mistral:open-mixtral-8x7b", 32_000),
        ("moonshot:kimi-k3", 1_000_000),
        ("moonshot:kimi-k2.5", 256_000),
        ("zai:glm-4.6", 200_000),
        ("zai:glm-4.5-air", 128_000),
        ("zai:glm-5.2", 1_000_000),
        ("fireworks:accounts/fireworks/models/glm-4p7", 200_000),
        ("openrouter:qwen/qwen3-coder", 256_000),
        ("openrouter:qwen/qwen3-32b", 32_000),
        ("groq:llama-3.3-70b-versatile", 128_000),
        ("groq:llama3-8b-8192", 8_192),
        ("xai:grok-4-0709", 256_000),
        ("xai:grok-4.20-reasoning", 1_000_000),
        ("groq:openai/gpt-oss-120b", 128_000),
        ("azure:my-deployment", 32_000),
        ("nobody:nothing", 32_000),
    ],
)
def test_the_windows_of_model_families_are_known_by_name(name: str, tokens: int) -> None:
    assert Models(lambda _: None).window(name) == tokens


def test_a_local_server_gets_a_safe_window_unless_it_lists_its_own() -> None:
    """A local server may load a model with a smaller window than the model supports."""
    assert context_window("ollama", "llama3.1:8b") == 32_000
    assert context_window("llamacpp", "phi-3-mini") == 4_096
    assert context_window("vllm", "llama-3.1-8b", listed={"llama-3.1-8b": 131_072}) == 131_072


def test_the_users_setting_comes_first_and_its_longest_pattern_applies() -> None:
    own = {"*": 50_000, "ollama:*": 8_192, "Ollama:Llama3*": 16_384}
    listed = {"llama3.1": 4_096}
    assert context_window("ollama", "llama3.1", listed=listed, setting=own) == 16_384
    assert context_window("ollama", "qwen3", setting=own) == 8_192
    assert context_window("openai", "gpt-5", setting=own) == 50_000
    assert Models(lambda _: None, windows=lambda: {"openai:gpt-5": 9_000}).window("openai:gpt-5") == 9_000


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        ({"context_length": 200_000}, 200_000),
        ({"context_length": 1_310_720, "top_provider": {"context_length": 1_048_576}}, 1_048_576),
        ({"context_length": 8_192, "top_provider": {"context_length": None}}, 8_192),
        ({"inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536}, 1_048_576),
        ({"max_input_tokens": 200_000, "max_tokens": 64_000}, 200_000),
        ({"context_window": 131_072, "max_completion_tokens": 32_768}, 131_072),
        ({"max_context_length": 262_144}, 262_144),
        ({"max_context_length": 131_072, "loaded_context_length": 8_192}, 8_192),
        ({"max_model_len": 32_768}, 32_768),
        ({"meta": {"n_ctx": 4_096, "n_ctx_train": 131_072}}, 4_096),
        ({"meta": {"n_ctx_train": 131_072}}, 131_072),
        ({"meta": {"n_ctx": 0}, "context_length": "many", "context_window": True}, None),
        ({"meta": [], "top_provider": "x"}, None),
    ],
)
def test_the_window_is_read_from_lists_of_models(entry: dict[str, Any], tokens: int | None) -> None:
    """In the formats of OpenRouter, Gemini, Anthropic, Groq, Mistral, LM Studio, vLLM and llama.cpp."""
    assert listed_window(entry) == tokens


def test_offers_contain_the_context_windows_that_a_provider_lists() -> None:
    listed = {"data": [{"id": "a", "max_model_len": 4_096}, {"id": "b"}, {"id": "text-embedding-3"}]}
    with serving(listed) as base:
        offers = ProviderDiscovery(lambda _: None, dict, providers=at(base, "vllm"))
        assert offers.windows("vllm") == {}  # nobody was asked yet, and nobody is
        (offer,) = offers.current(refresh=False)
        assert (offer.models, offer.windows) == (("a", "b"), {"a": 4_096})
        assert offers.windows("vllm", base + "/") == offers.windows("vllm") == {"a": 4_096}
        for elsewhere in ("http://127.0.0.1:1/v1", "nonsense"):
            assert offers.windows("vllm", elsewhere) == {}
        assert offers.windows("openai") == {}


def test_the_registry_knows_a_window_after_asking_the_provider() -> None:
    with serving({"data": [{"id": "llama-3.1-8b", "max_model_len": 16_384}]}) as base:
        models = Models(lambda _: None, lambda: {"vllm": base})
        assert models.window("vllm:llama-3.1-8b") == 32_000
        models.offers()
    assert models.window("vllm:llama-3.1-8b") == 16_384
    assert models.window("vllm:llama-3.1-8b", "http://127.0.0.1:1/v1") == 32_000


def test_offline_and_scripted_models_have_no_window() -> None:
    models = Models(lambda _: None, windows=lambda: {"*": 8_192})
    assert models.window("offline") is None
    assert models.window("scripted:replies.json") is None
