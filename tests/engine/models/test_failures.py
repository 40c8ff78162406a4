"""Error messages: what failed, why, and what to do; never the key, and at most one line from the provider."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from engine.models.dialect import Place
from engine.models.failures import ended, lost, no_key, quoted, refused_by
from engine.models.http_exchange import Lost
from engine.models.model import Finished, Usage
from engine.models.providers import PROVIDERS
from engine.models.registry import Models
from engine.models.replies import Ending
from engine.models.retry_after import seconds_to_wait
from engine.system.cancellation import Cancellation
from tests.engine.models.asking import ask, request, user

KEY = "sk-proj-0123456789abcdefghij"
NOW = 1_795_000_000.0
"""2026-11-18 11:06:40 UTC."""
OPENAI = Place(PROVIDERS["openai"], "https://api.openai.com/v1", "gpt-x", KEY)
OLLAMA = Place(PROVIDERS["ollama"], "http://127.0.0.1:11434/v1", "llama")


def failed(status: int, body: Any, place: Place = OPENAI, **headers: str) -> Finished:
    """A response with a status."""
    raw = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return refused_by(place, status, named, raw.encode(), NOW)


def error(message: str, **more: Any) -> dict[str, Any]:
    """An error body in the format of most servers."""
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            400,
            error("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."),
        ),
        (400, error("Your input exceeds the context window of this model.", code="context_length_exceeded")),
        (400, error("prompt is too long: 210000 tokens > 200000 maximum", type="invalid_request_error")),
        (413, error("Request exceeds the maximum size", type="request_too_large")),
        (
            400,
            error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        ),
        (
            400,
            error("request (2009 tokens) exceeds the available context size (512 tokens), try increasing it"),
        ),
        (400, error("input length exceeds the context length", type="api_error")),
        (
            400,
            {
                "object": "error",
                "message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096."
                " Make sure that `max_model_len` is no smaller than the number of text tokens.",
            },
        ),
        (400, error("Please reduce the length of the messages or completion.")),
        (422, error("`inputs` tokens + `max_new_tokens` must be <= 4096: maximum context exceeded")),
        (500, error("the request exceeds the available context size")),
    ],
)
def test_a_conversation_that_is_too_long_is_reported_as_such(status: int, body: Any) -> None:
    """In the wordings of OpenAI, Anthropic, Gemini, llama.cpp, vLLM, Ollama and others."""
    told = failed(status, body)
    assert told.kind == "context_overflow"
    assert str(told.error).startswith("The conversation is longer than gpt-x can read at api.openai.com.")


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.", 8192),
        ("This endpoint's maximum context length is 128,000 tokens.", 128_000),
        ("prompt is too long: 208310 tokens > 200000 maximum", 200_000),
        ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease", 200_000),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            1_048_576,
        ),
        ("request (2009 tokens) exceeds the available context size (512 tokens), try increasing it", 512),
        ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
        ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096: maximum context exceeded", 4096),
        ("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)", 8192),
        ("prompt token count of 70000 exceeds the limit of 64000", 64_000),
        ("the context overflows: the model is loaded with context length of only 4096 tokens", 4096),
        ('exceed_context_size: {"n_ctx": 4096}', 4096),
        ("Your input exceeds the context window of this model.", None),
        ("Please reduce the length of the messages or completion.", None),
        ("maximum context length is 0 tokens", None),
    ],
)
def test_the_token_limit_is_read_from_the_error(message: str, limit: int | None) -> None:
    """So that the next request can be made short enough."""
    told = failed(400, error(message))
    assert (told.kind, told.limit) == ("context_overflow", limit)


def test_the_token_limit_is_read_from_a_field_only_if_the_request_was_too_long() -> None:
    """llama.cpp gives `n_ctx` next to its message; another error may contain a number, too."""
    assert failed(400, error("request too long", n_ctx=512, type="exceed_context_size_error")).limit == 512
    told = ended(
        OPENAI, Ending("error", Usage(), {"message": "prompt is too long: 9 tokens > 8192 maximum"}), {}, NOW
    )
    assert told.limit == 8192
    assert failed(429, error("Limit is 8192 tokens per minute")).limit is None


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (401, error("Incorrect API key provided"), "unauthorized", "OpenAI refused the key (HTTP 401)."),
        (403, error("no"), "unauthorized", "Check the key in Settings"),
        (
            400,
            error("API key not valid.", status="INVALID_ARGUMENT", details=[{"reason": "API_KEY_INVALID"}]),
            "unauthorized",
            "refused the key",
        ),
        (404, error("The model `gpt-x` does not exist"), "not_found", "api.openai.com has no model gpt-x"),
        (404, "404 page not found", "not_found", "It says: 404 page not found"),
        (429, error("slow down"), "rate_limited", "Retry in a while."),
        (429, error("quota", code="insufficient_quota"), "rate_limited", "Check your account there."),
        (402, error("Insufficient credits"), "refused", "Check your account there."),
        (
            500,
            error("boom"),
            "overloaded",
            "OpenAI had a problem on its side (HTTP 500). Retry, or pick another model.",
        ),
        (529, error("Overloaded"), "overloaded", "(HTTP 529)"),
        (503, "<html><h1>Service Unavailable</h1></html>", "overloaded", "It says: Service Unavailable"),
        (500, error("tools param requires --jinja flag"), "refused", "Start llama-server with --jinja"),
        (400, error("llama does not support tools"), "refused", "Pick a model that can call tools"),
        (422, {"detail": [{"msg": "field required"}]}, "refused", "It says: field required"),
        (400, {"object": "error", "message": {"detail": [{"msg": "bad"}]}}, "refused", "It says: bad"),
        (400, [error("in an array")], "refused", "It says: in an array"),
        (400, {"error": "just text"}, "refused", "It says: just text"),
        (418, "", "refused", "OpenAI refused the request for gpt-x (HTTP 418)."),
        (307, "", "not_found", "does not follow redirects"),
    ],
)
def test_each_kind_of_failure_says_what_to_do(status: int, body: Any, kind: str, words: str) -> None:
    """With the provider's own message, if there is one."""
    told = failed(status, body)
    assert told.kind == kind
    assert words in str(told.error)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"code": 502, "message": "Provider returned error"}, "overloaded"),
        ({"code": "429", "message": "later"}, "rate_limited"),
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
        ({"type": "invalid_request_error", "code": "tool_use_failed", "status_code": 400}, "refused"),
        ({"code": 499, "status": "CANCELLED", "message": "The operation was cancelled."}, "broken"),
        ({"code": "content_filter", "message": "filtered", "status": 400}, "refused"),
        ({"message": "prompt is too long"}, "context_overflow"),
        ("text", "broken"),
    ],
)
def test_errors_inside_a_stream_are_classified_by_their_content(body: Any, kind: str) -> None:
    """The status was 200."""
    told = ended(OPENAI, Ending("error", Usage(1), body), {}, NOW)
    assert (told.kind, told.usage) == (kind, Usage(1))
    assert told.error is not None


@pytest.mark.parametrize(
    ("finish", "detail", "words"),
    [
        (
            "MALFORMED_FUNCTION_CALL",
            "print(f(",
            "OpenAI stopped the reply because the model wrote a tool call that is not valid"
            " (MALFORMED_FUNCTION_CALL: print(f(). No tool of this reply was run. Retry, or pick another model.",
        ),
        (
            "UNEXPECTED_TOOL_CALL",
            "",
            "the model called a tool that does not exist or was not offered (UNEXPECTED_TOOL_CALL). No tool",
        ),
        ("network_error", "", "its own network failed (network_error). Retry"),
        ("NEW_WORD", "", "for a reason that Anabranch does not know (NEW_WORD). Retry"),
    ],
)
def test_an_abnormal_finish_is_reported_with_advice(finish: str, detail: str, words: str) -> None:
    """In our words, followed by the provider's own."""
    told = ended(OPENAI, Ending("error", Usage(1), finish=finish, detail=detail), {}, NOW)
    assert (told.reason, told.kind, told.usage) == ("error", "broken", Usage(1))
    assert words in str(told.error)


def test_a_quoted_error_is_one_short_line_without_the_key() -> None:
    """Even if it contains another key than ours."""
    assert quoted(f"a\n  b {KEY} c", OPENAI) == "a b [key] c"
    assert quoted("Bearer abc.def and sk-ant-REDACTED", OLLAMA) == "[key] and [key]"
    assert quoted("x" * 400, OPENAI) == "x" * 299 + "…"
    told = failed(401, error(f"Incorrect API key provided: {KEY}. " + "y" * 400))
    assert KEY not in str(told.error)
    assert len(str(told.error)) < 500


def test_a_closed_port_is_reported_with_advice_to_start_the_server() -> None:
    """A port on this machine where no server listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    (told,) = ask(Models(lambda _: None).resolve("ollama:llama", f"http://127.0.0.1:{port}/v1"), user("a"))
    words = f"Nothing is listening at 127.0.0.1:{port} (Ollama). Start it, or pick another model and retry."
    assert told == Finished("error", error=words, kind="unreachable")


def test_a_server_that_closes_the_connection_early_is_not_reported_as_stopped() -> None:
    """The error does not tell the user to start it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        model = Models(lambda _: None).resolve(
            "ollama:llama", f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        )
        stream = model.stream(request(user("a")), Cancellation())
        with ThreadPoolExecutor(1) as pool:
            told = pool.submit(next, stream)
            connection, _ = server.accept()
            connection.recv(10_000)
            connection.close()
            last = told.result()
    assert isinstance(last, Finished)
    assert (last.kind, "ended before the reply did" in str(last.error)) == ("broken", True)


@pytest.mark.parametrize("key", ["sk-1234\nsk-5678", "sk-…", "two words"])
def test_a_malformed_key_is_not_sent(key: str) -> None:
    """It was cut or copied with other text; the error does not show it either."""
    (told,) = ask(Models(lambda _: key).resolve("openai:gpt", "http://127.0.0.1:1/v1"), user("a"))
    assert isinstance(told, Finished)
    assert (told.kind, key in str(told.error)) == ("unauthorized", False)


def test_a_remote_provider_without_a_key_is_not_contacted() -> None:
    """Only if it is remote and at its own address."""
    (told,) = ask(Models(lambda _: " ").resolve("openai:gpt-x"), user("a"))
    assert told == no_key(OPENAI)
    assert "OPENAI_API_KEY" in str(no_key(OPENAI).error)


def test_a_key_is_not_sent_unencrypted() -> None:
    """http to a public host is refused before anything is sent."""
    (told,) = ask(Models(lambda _: KEY).resolve("openai:gpt-x", "http://models.example.com/v1"), user("a"))
    assert isinstance(told, Finished)
    assert (told.kind, KEY in str(told.error)) == ("refused", False)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        (
            "unreachable",
            "unreachable",
            "OpenAI cannot be reached at api.openai.com (no route). Check the network",
        ),
        ("silent", "broken", "OpenAI at api.openai.com sent nothing for 5 minutes. Retry"),
        ("cut", "broken", "The connection to OpenAI at api.openai.com ended before the reply did. Retry."),
    ],
)
def test_lost_connections_are_reported_with_the_point_where_they_failed(
    how: Any, kind: str, words: str
) -> None:
    """Before the answer, during a silence, or inside the answer."""
    told = lost(OPENAI, Lost(how, "no route"), Usage())
    assert told.kind == kind
    assert words in str(told.error)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "7"}, {}, 7),
        ({"retry-after-ms": "1500"}, {}, 1.5),
        ({"retry-after": "Wed, 18 Nov 2026 11:06:50 GMT"}, {}, 10),
        ({"retry-after": "Wed, 18 Nov 2020 09:46:50 GMT"}, {}, 0),
        ({}, {"details": [{"@type": "x"}, {"retryDelay": "34.4s"}]}, 34.4),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, {}, 360),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "9"}, {}, None),
        ({"x-ratelimit-reset-tokens": "120ms"}, {}, 0.12),
        ({"X-RateLimit-Reset": "1795000030000"}, {}, 30),
        ({"x-ratelimit-reset": "1795000030"}, {}, 30),
        ({"anthropic-ratelimit-requests-reset": "2026-11-18T11:07:00Z"}, {}, 20),
        ({}, {"metadata": {"headers": {"X-RateLimit-Reset": "1795000030000"}}}, 30),
        ({}, {"message": "Rate limit reached. Please try again in 20s."}, 20),
        ({}, {"message": "Please try again in 1m2.5s."}, 62.5),
        ({}, {"retry_after": 3}, 3),
        ({"retry-after": "soon"}, {}, None),
        ({"retry-after": "99999999"}, {}, 30 * 24 * 3600),
        ({}, {}, None),
    ],
)
def test_the_time_to_wait_is_read_from_headers_details_and_messages(
    headers: dict[str, str], body: Any, seconds: float | None
) -> None:
    """Headers in all their units, Google's details, text."""
    found = seconds_to_wait(headers, body, NOW)
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_the_wait_is_reported_as_text_and_as_a_number() -> None:
    """Only if waiting helps."""
    told = failed(429, error("slow"), retry_after="7")
    assert (told.retry_after, "Retry in 7 s." in str(told.error)) == (7.0, True)
    assert failed(400, error("bad"), retry_after="7").retry_after is None
