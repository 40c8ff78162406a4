"""Every recorded reply is read correctly over a real connection, wherever it is cut.

The recordings are stored next to the repository (`../shared/streams`); without them, these tests are skipped.
Recordings of the image endpoints (dialects `openai-images` and `imagen`) belong to the image tools and are left out.
"""

import hashlib
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    Finished,
    ImageDelta,
    ModelRequest,
    OpaqueDelta,
    ReasoningDelta,
    TextDelta,
    Usage,
)
from engine.models.registry import Models
from engine.system.cancellation import Cancellation
from tests.engine.models.asking import ask, user

STREAMS = Path(__file__).parents[4] / "shared" / "streams"
PROVIDERS = {"openai-chat": "openai", "gemini": "gemini", "anthropic": "anthropic"}
BASES = {"openai-chat": "/v1", "gemini": "/v1beta", "anthropic": ""}
REASONS = {"tool_calls": "calls"}


def recorded() -> list[dict[str, Any]]:
    """The expected contents of each recording that a chat model can read."""
    expected = STREAMS / "expected.jsonl"
    if not expected.exists():
        return []
    cases = [json.loads(line) for line in expected.read_text("utf-8").splitlines() if line]
    return [case for case in cases if case["dialect"] in PROVIDERS and "imagen-predict" not in case["quirks"]]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server that plays the recordings."""
    if not STREAMS.exists():
        pytest.skip(f"the recordings are not at {STREAMS}")
    spec = importlib.util.spec_from_file_location("serve", STREAMS / "serve.py")
    assert spec is not None
    assert spec.loader is not None
    serve: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(serve)
    server = serve.start(STREAMS)
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def of(kind: type[TextDelta] | type[ReasoningDelta], deltas: list[Delta]) -> str:
    """All text of one kind."""
    return "".join(delta.text for delta in deltas if isinstance(delta, kind))


def calls_in(deltas: list[Delta]) -> list[tuple[str, str, str]]:
    """The calls, each with name, id and the text of its arguments."""
    calls = [delta for delta in deltas if isinstance(delta, CallDelta)]
    assert [call.index for call in calls] == list(range(len(calls)))
    texts = [
        "".join(d.text for d in deltas if isinstance(d, ArgumentsDelta) and d.index == call.index)
        for call in calls
    ]
    return [(c.name, c.provider_call_id, text) for c, text in zip(calls, texts, strict=True)]


def decoded(text: str, *, complete: bool) -> Any:
    """Arguments decoded as in a turn."""
    if not text.strip() and complete:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def check_speech(case: dict[str, Any], deltas: list[Delta]) -> None:
    """Check text and reasoning; a refusal is shown as text."""
    text, reasoning = of(TextDelta, deltas), of(ReasoningDelta, deltas)
    split = case.get("think_split")
    if split:
        assert (text, reasoning) == (split["text"], split["reasoning"])
    elif case.get("text_compare") == "json":
        assert json.loads(text) == json.loads(case["text"])
    else:
        assert (text, reasoning) == (case["text"] + case.get("refusal", ""), case["reasoning"])


def check_calls(case: dict[str, Any], deltas: list[Delta]) -> None:
    """Check the calls, their ids and their opaque state."""
    found = calls_in(deltas)
    assert [name for name, _, _ in found] == [call["name"] for call in case["tool_calls"]]
    state = json.dumps([delta.part.data for delta in deltas if isinstance(delta, OpaqueDelta)])
    for (_, identity, text), call in zip(found, case["tool_calls"], strict=True):
        complete = case["finish"] != "length" and "arguments_raw" not in call
        assert decoded(text, complete=complete) == call["arguments"]
        assert text == call.get("arguments_raw", text)
        assert identity == call.get("id", identity)
        assert json.dumps(call.get("thought_signature", ""))[1:-1] in state


def check_end(case: dict[str, Any], deltas: list[Delta]) -> None:
    """Check the finish reason, the token counts and the pictures."""
    last = deltas[-1]
    assert isinstance(last, Finished)
    assert sum(isinstance(delta, Finished) for delta in deltas) == 1
    accepted = case.get("finish_accept", [case["finish"]])
    assert last.reason in [REASONS.get(reason, reason) for reason in accepted]
    assert (last.reason == "error") == (last.error is not None) == (last.kind is not None)
    usage = case["usage"] or {}
    assert last.usage == Usage(
        *(usage.get(f"{name}_tokens") for name in ("input", "output", "total", "reasoning", "cached"))
    )
    pictures = [hashlib.sha256(d.data).hexdigest() for d in deltas if isinstance(d, ImageDelta)]
    assert pictures == [image["sha256"] for image in case.get("images", [])]


@pytest.mark.parametrize("mode", ["whole", "bytes", "random-1"])
@pytest.mark.parametrize("case", recorded(), ids=lambda case: case["file"])
def test_a_recorded_reply_is_read_correctly(case: dict[str, Any], mode: str, port: int) -> None:
    """However its bytes are cut, the text, reasoning, calls, end and counts are the same."""
    base = f"http://127.0.0.1:{port}/{case['file'].replace('/', '~')}/{mode}{BASES[case['dialect']]}"
    model = Models(lambda _: "sk-not-a-real-key").resolve(f"{PROVIDERS[case['dialect']]}:recorded", base)
    deltas = ask(model, user("Hello"))
    check_speech(case, deltas)
    check_calls(case, deltas)
    check_end(case, deltas)


@pytest.mark.parametrize(
    "case", [c for c in recorded() if c["transport"] == "sse"][::6], ids=lambda c: c["file"]
)
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_a_cut_stream_is_an_error_or_a_beginning_of_the_reply(
    case: dict[str, Any], share: float, port: int
) -> None:
    """A reply that ends early is reported, and what arrived is kept; nothing is made up."""
    cut = int(case["bytes"] * share)
    base = f"http://127.0.0.1:{port}/{case['file'].replace('/', '~')}/cut-{cut}{BASES[case['dialect']]}"
    model = Models(lambda _: None).resolve(f"{PROVIDERS[case['dialect']]}:recorded", base)
    deltas = list(model.stream(ModelRequest("recorded", "", (user("Hello"),), ()), Cancellation()))
    said = of(TextDelta, deltas) + of(ReasoningDelta, deltas)
    whole = case["text"] + case["reasoning"] + case.get("refusal", "")
    assert len(said) <= len(whole)
    assert isinstance(deltas[-1], Finished)
