"""Finding models by name, and turning base URLs as users write them into request addresses."""

import pytest

from engine.errors import Refused
from engine.models.addresses import is_loopback, is_private
from engine.models.dialect import base_of
from engine.models.providers import PROVIDERS
from engine.models.registry import Models, model_title

NOBODY = Models(lambda _: None)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_known_provider_gives_a_model(provider: str) -> None:
    """At its own address, or at the user's."""
    model = NOBODY.resolve(
        f"{provider}:org/a-model:free", None if provider != "azure" else "https://x.example/v1"
    )
    assert model.provider == provider


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("nobody:x", "model_unknown", "`ollama:MODEL`"),
        ("gpt-5", "model_unknown", "`openai:MODEL`"),
        ("openai:", "model_unnamed", "with a model of OpenAI"),
        ("openai: ", "model_unnamed", "with a model of OpenAI"),
        ("azure:gpt", "base_url_missing", "Give the base URL of your server"),
    ],
)
def test_an_unusable_model_name_is_refused_with_a_message(name: str, code: str, words: str) -> None:
    """The message lists the available models."""
    with pytest.raises(Refused) as refused:
        NOBODY.resolve(name)
    assert refused.value.code == code
    assert words in refused.value.message


@pytest.mark.parametrize(
    "base", ["ftp://x/v1", "nonsense", "http://", "http://user:pw@host/v1", "http://h:x/v1"]
)
def test_an_invalid_base_url_is_refused(base: str) -> None:
    """A password in it would be stored and shown."""
    with pytest.raises(Refused, match="must be http"):
        NOBODY.resolve("openai:gpt", base)


@pytest.mark.parametrize(
    ("provider", "given", "url"),
    [
        ("openai", None, "https://api.openai.com/v1/chat/completions"),
        ("openai", "http://127.0.0.1:9", "http://127.0.0.1:9/v1/chat/completions"),
        ("openai", "http://127.0.0.1:9/", "http://127.0.0.1:9/v1/chat/completions"),
        ("openai", "http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/chat/completions"),
        ("openai", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("openai", "https://h/api/paas/v4", "https://h/api/paas/v4/chat/completions"),
        ("openai", "https://h/inference", "https://h/inference/chat/completions"),
        ("openai", "https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
        ("azure", "https://h/openai/deployments/d?api-version=1", "https://h/openai/deployments/d/chat/completions?api-version=1"),
        ("anthropic", None, "https://api.anthropic.com/v1/messages"),
        ("anthropic", "http://h/v1/", "http://h/v1/messages"),
        ("anthropic", "http://h/case/whole", "http://h/case/whole/v1/messages"),
        ("gemini", "http://h", "http://h/v1beta/models/a%20b%3F:streamGenerateContent?alt=sse"),
        ("gemini", "http://h/x/v1beta", "http://h/x/v1beta/models/a%20b%3F:streamGenerateContent?alt=sse"),
    ],
)  # fmt: skip
def test_a_base_url_may_be_written_in_several_ways(provider: str, given: str | None, url: str) -> None:
    """With and without version, slash or the end of its path; a query stays."""
    known = PROVIDERS[provider]
    assert known.dialect.endpoint(base_of(known, given), "a b?") == url


def test_a_gemini_model_may_be_named_with_its_path() -> None:
    """As Google lists it."""
    known = PROVIDERS["gemini"]
    url = known.dialect.endpoint(base_of(known, None), "models/gemini-x")
    assert url.endswith("/v1beta/models/gemini-x:streamGenerateContent?alt=sse")
    assert known.dialect.list_endpoint(base_of(known, None)).endswith("/v1beta/models")


@pytest.mark.parametrize(
    ("base", "loopback", "private"),
    [
        ("http://127.0.0.1:1/v1", True, True),
        ("http://localhost/v1", True, True),
        ("http://[::1]:1/v1", True, True),
        ("http://192.168.1.5/v1", False, True),
        ("http://gpu-box:8000/v1", False, True),
        ("http://box.local/v1", False, True),
        ("http://8.8.8.8/v1", False, False),
        ("http://example.com/v1", False, False),
        ("http://127.0.0.1.example.com/v1", False, False),
    ],
)
def test_public_and_private_addresses_are_distinguished(base: str, loopback: bool, private: bool) -> None:
    """As far as the host name shows it."""
    assert (is_loopback(base), is_private(base)) == (loopback, private)


def test_the_users_own_address_replaces_the_default() -> None:
    """A gateway may work without a key."""
    models = Models(lambda _: None, lambda: {"openai": "http://127.0.0.1:9/v1"})
    assert models.resolve("openai:gpt").provider == "openai"
    assert model_title("openai:org/gpt") == "org/gpt"
