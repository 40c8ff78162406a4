"""Requests are valid in each dialect whatever the history, and the same history gives the same request."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.models.messages import (
    CallPart,
    HistoryItem,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolMessage,
    ToolRequest,
    WorkingsPart,
)
from engine.models.model import ModelRequest, ToolSpec
from engine.models.registry import Models
from tests.engine.models.asking import answer, assistant, request, user
from tests.support.providers.checking import CHECK

QUERY = ToolSpec("query", "Runs SQL.", {"type": "object", "properties": {"sql": {"type": "string"}}})
BARE = ToolSpec("today", "The date.", {"$schema": "x", "type": "object", "properties": {}})
CACHED = {"cache_control": {"type": "ephemeral"}}
DIALECTS = {"openai": "openai", "gemini": "gemini", "anthropic": "anthropic", "mistral": "openai"}


def called(number: int, provider_call_id: str = "", arguments: Any = None, name: str = "query") -> Any:
    """A call part and its request."""
    call_id = f"call-{number}"
    given = {} if arguments is None else arguments
    return CallPart(call_id=call_id, name=name), ToolRequest(call_id, name, given, provider_call_id)


def step(*calls: Any, text: str = "", others: tuple[Part, ...] = ()) -> tuple[HistoryItem, ...]:
    """An assistant's message with calls and their answers."""
    parts = ((TextPart(text=text),) if text else ()) + others + tuple(part for part, _ in calls)
    message = Message("m", "assistant", parts, tuple(made for _, made in calls))
    return message, *(answer(made.call_id, {"rows": 1}) for _, made in calls)


def body(provider: str, wanted: ModelRequest) -> Any:
    """The parsed body for a provider."""
    return json.loads(sent(provider, wanted))


def sent(provider: str, wanted: ModelRequest) -> bytes:
    """The bytes for a provider."""
    return Models(lambda _: None).resolve(f"{provider}:a-model", "http://127.0.0.1:1/v1").body(wanted)


def test_the_openai_body_is_as_expected() -> None:
    """System text, messages, tools, then the model's parameters."""
    wanted = request(
        user("How many?"),
        *step(called(1, "c1", {"sql": "é"}), text="Looking."),
        assistant("One."),
        user("Sure?"),
        tools=(QUERY,),
        parameters={"max_tokens": 9, "stream_options": {"include_usage": True}},
    )
    assert body("openai", wanted) == {
        "model": "a-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How many?"},
            {
                "role": "assistant",
                "content": "Looking.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "query", "arguments": '{"sql":"é"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"rows":1}'},
            {"role": "assistant", "content": "One."},
            {"role": "user", "content": "Sure?"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "query",
                    "description": "Runs SQL.",
                    "parameters": QUERY.input_schema,
                },
            }
        ],
        "stream": True,
        "max_completion_tokens": 9,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize("provider", DIALECTS)
def test_workings_are_sent_back_as_text(provider: str) -> None:
    """The request is the same as if they had never been separated from the text."""
    parted = (TextPart(text="A."), WorkingsPart(text="\n```workings\n1 = 1\n```"), TextPart(text="\nB."))
    whole = (TextPart(text="A.\n```workings\n1 = 1\n```\nB."),)
    bodies = [
        sent(provider, request(user("a"), Message("m", "assistant", one), user("b")))
        for one in (parted, whole)
    ]
    assert bodies[0] == bodies[1]


def test_the_gemini_body_is_as_expected() -> None:
    """Results are parts of one user message; tools without parameters have no schema."""
    wanted = request(
        user("How many?"),
        *step(called(1, "c1", {"sql": "1"}), called(2), text="Looking."),
        tools=(QUERY, BARE),
        parameters={"generationConfig": {}},
    )
    assert body("gemini", wanted) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "How many?"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Looking."},
                    {"functionCall": {"name": "query", "args": {"sql": "1"}, "id": "c1"}},
                    {"functionCall": {"name": "query", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "query", "response": {"rows": 1}, "id": "c1"}},
                    {"functionResponse": {"name": "query", "response": {"rows": 1}}},
                ],
            },
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "query", "description": "Runs SQL.", "parametersJsonSchema": QUERY.input_schema},
                    {"name": "today", "description": "The date."},
                ]
            }
        ],
        "generationConfig": {},
    }


def test_the_anthropic_body_is_as_expected() -> None:
    """Results come first in the next user message; failures are marked."""
    message, _ = step(called(1, "toolu_1"))
    wanted = request(
        user("How many?"),
        message,
        answer("call-1", {"error": "no"}, "error"),
        user("Go on."),
        tools=(QUERY,),
        parameters={"max_tokens": 9},
    )
    assert body("anthropic", wanted) == {
        "model": "a-model",
        "system": [{"type": "text", "text": "Be brief.", **CACHED}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "How many?"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "toolu_1", "name": "query", "input": {}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": '{"error":"no"}',
                        "is_error": True,
                    },
                    {"type": "text", "text": "Go on.", **CACHED},
                ],
            },
        ],
        "tools": [{"name": "query", "description": "Runs SQL.", "input_schema": QUERY.input_schema}],
        "stream": True,
        "max_tokens": 9,
    }


@pytest.mark.parametrize(
    ("provider", "given", "kept"),
    [
        ("openai", "functions.add:0", True),
        ("openai", "x" * 41, False),
        ("openai", "call_1__thought__" + "x" * 90, True),
        ("openai", "", False),
        ("anthropic", "functions.add:0", False),
        ("anthropic", "toolu_1-x", True),
        ("mistral", "yBvJuId6u", True),
        ("mistral", "call_1", False),
    ],
)
def test_a_providers_own_ids_are_sent_if_it_accepts_them(provider: str, given: str, kept: bool) -> None:
    """Others are derived from ours: the same for call and result, and the same each time."""
    wanted = request(user("a"), *step(called(1, given)), parameters={"max_tokens": 1})
    text = json.dumps(body(provider, wanted))
    assert (json.dumps(given) in text) == kept
    assert text == json.dumps(body(provider, wanted))


def test_repeated_ids_are_made_unique() -> None:
    """Within a message and between messages."""
    wanted = request(user("a"), *step(called(1, "0"), called(2, "0")), *step(called(3, "0")))
    ids = [m["tool_call_id"] for m in body("openai", wanted)["messages"] if m["role"] == "tool"]
    assert ids[0] == "0"
    assert len(set(ids)) == 3


def test_arguments_that_were_not_an_object_are_sent_back_wrapped_in_an_object() -> None:
    """Every server accepts that, and it shows what was written."""
    wanted = request(user("a"), *step(called(1, "c", "{oops")))
    (call,) = body("openai", wanted)["messages"][2]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"_invalid": "{oops"}
    assert body("gemini", wanted)["contents"][1]["parts"][0]["functionCall"]["args"] == {"_invalid": "{oops"}
    assert body("anthropic", wanted)["messages"][1]["content"][0]["input"] == {"_invalid": "{oops"}


def test_tool_names_that_a_model_made_up_are_made_valid() -> None:
    """A past call to `functions.query!` would make the whole request fail."""
    wanted = request(user("a"), *step(called(1, "c", name="functions.query!")))
    assert "functions_query_" in json.dumps(body("openai", wanted))


def test_pictures_are_sent_in_the_format_of_each_dialect() -> None:
    """By hash, from the request's pictures; text replaces a missing picture."""
    part = ImagePart(sha256="ab", media_type="image/png", size=3)
    wanted = request(user("What?", part), images={"ab": b"png"})
    data = base64.b64encode(b"png").decode()
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    assert body("openai", wanted)["messages"][1]["content"] == [{"type": "text", "text": "What?"}, url]
    inline = {"inlineData": {"mimeType": "image/png", "data": data}}
    assert body("gemini", wanted)["contents"][0]["parts"][1] == inline
    source = {"type": "base64", "media_type": "image/png", "data": data}
    assert body("anthropic", wanted)["messages"][0]["content"][1] == {
        "type": "image",
        "source": source,
        **CACHED,
    }
    for provider in DIALECTS:
        assert "no longer there" in json.dumps(body(provider, replace(wanted, images={})))


def test_reasoning_is_sent_back_only_to_providers_that_need_it() -> None:
    """DeepSeek rejects later steps of a turn without it."""
    wanted = request(user("a"), *step(called(1, "c"), others=(ReasoningPart(text="hm"),)))
    assert body("deepseek", wanted)["messages"][2]["reasoning_content"] == "hm"
    assert body("openrouter", wanted)["messages"][2]["reasoning"] == "hm"
    for provider in DIALECTS:
        assert "hm" not in json.dumps(body(provider, wanted))


def test_required_reasoning_is_never_missing() -> None:
    """A call of another model has none; a space is the least that is accepted."""
    wanted = request(user("a"), *step(called(1, "c")), assistant("b"), user("c"))
    for provider, model in [("deepseek", "m"), ("moonshot", "m"), ("openai", "org/Kimi-K2")]:
        messages = body(provider, replace(wanted, model=model))["messages"]
        assert [m.get("reasoning_content") for m in messages if m["role"] == "assistant"] == [" ", None]
    assert "reasoning" not in json.dumps(body("openai", wanted))


def test_state_of_another_provider_is_not_sent() -> None:
    """It would be rejected, and is private to the other provider."""
    others = tuple(OpaquePart(provider=p, data={"s": "secret"}) for p in ("else", "groq"))
    wanted = request(user("a"), *step(called(1, "c"), others=others))
    for provider in DIALECTS:
        assert "secret" not in json.dumps(body(provider, wanted))


def test_gemini_signatures_are_sent_back_with_their_parts() -> None:
    """Joined text is split again where it was signed."""

    def opaque(**data: Any) -> OpaquePart:
        return OpaquePart(provider="gemini", data=data)

    (call, made), (second, more) = called(1), called(2)
    parts: tuple[Part, ...] = (
        ReasoningPart(text="hm, so"),
        opaque(on="thought", signed=2, thoughtSignature="0"),
        TextPart(text="abcd"),
        opaque(on="text", signed=2, thoughtSignature="1"),
        opaque(on="text", signed=0, thoughtSignature="2"),
        call,
        opaque(on="call", thoughtSignature="3"),
        second,
        opaque(on="part", part={"executableCode": {}}),
    )
    message = Message("m", "assistant", parts, (made, more))
    wanted = request(user("a"), message, answer("call-1", 1), answer("call-2", [1]))
    assert body("gemini", wanted)["contents"][1]["parts"] == [
        {"text": "so", "thought": True, "thoughtSignature": "0"},
        {"text": "ab"},
        {"text": "cd", "thoughtSignature": "1"},
        {"text": "", "thoughtSignature": "2"},
        {"functionCall": {"name": "query", "args": {}}, "thoughtSignature": "3"},
        {"functionCall": {"name": "query", "args": {}}},
        {"executableCode": {}},
    ]
    answers = body("gemini", wanted)["contents"][2]["parts"]
    assert [a["functionResponse"]["response"] for a in answers] == [{"result": 1}, {"result": [1]}]


def test_gemini_3_gets_a_marker_on_calls_of_another_model() -> None:
    """In every turn, since a request must begin with the same bytes as the one before it."""
    old, new = step(called(1, "c")), step(called(2, "d"))
    wanted = request(user("a"), *old, user("b"), *new, model="gemini-3-pro")
    contents = body("gemini", wanted)["contents"]
    signed = ["thoughtSignature" in json.dumps(content) for content in contents]
    assert signed == [False, True, False, True, False]
    assert "thoughtSignature" not in json.dumps(body("gemini", replace(wanted, model="gemini-2.5-pro")))


def test_mistral_gets_an_assistant_message_after_tool_results() -> None:
    """It rejects a user message there, for example after a stopped turn."""
    wanted = request(user("a"), *step(called(1)), user("b"))
    assert [m["role"] for m in body("mistral", wanted)["messages"]][-3:] == ["tool", "assistant", "user"]


def test_a_request_without_parameters_uses_the_models_own() -> None:
    """Anthropic requires a limit, and older models accept only a small one."""
    assert body("anthropic", request(user("a")))["max_tokens"] == 16_000
    model = Models(lambda _: None).resolve("anthropic:claude-3-haiku-20240307")
    assert model.parameters == {"max_tokens": 4096}
    thinking = Models(lambda _: None).resolve("gemini:gemini-3-flash").parameters
    assert thinking == {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}
    assert Models(lambda _: None).resolve("gemini:gemini-2.0-flash").parameters == {}


TEXTS = st.sampled_from(["", " ", "\n", "a", "b\ud800", "é😀"])
IDS = st.sampled_from(["", "0", "0", "a.b:c", "x" * 50, "yBvJuId6u"])
NAMES = st.sampled_from(["query", "a b", "", "ä" * 70])
JSONS = st.sampled_from([None, "", "text", 1, [], {"a": [1]}, {"error": "no"}])


@st.composite
def histories(draw: st.DrawFn) -> tuple[HistoryItem, ...]:
    """Messages in any order, including calls without a result and results without a call."""
    items: list[HistoryItem] = []
    for number in range(draw(st.integers(0, 6))):
        role = draw(st.sampled_from(["user", "assistant", "assistant", "system", "tool"]))
        if role == "tool":
            items.append(ToolMessage(f"call-{draw(st.integers(0, 20))}", "query", "error", draw(JSONS)))
            continue
        parts: list[Part] = [TextPart(text=text) for text in draw(st.lists(TEXTS, max_size=2))]
        requests = []
        for place in range(draw(st.integers(0, 3)) if role == "assistant" else 0):
            name = draw(NAMES)
            part = CallPart(call_id=f"call-{number}{place}", name=name)
            parts.insert(draw(st.integers(0, len(parts))), part)
            if draw(st.integers(0, 4)):
                requests.append(ToolRequest(part.call_id, name, draw(JSONS), draw(IDS)))
        if draw(st.booleans()):
            parts.append(ReasoningPart(text="hm"))
        items.append(Message("m", role, tuple(parts), tuple(requests)))
        for made in draw(st.permutations(requests)):
            if draw(st.integers(0, 4)):
                items.append(ToolMessage(made.call_id, made.name, "success", draw(JSONS)))
    return tuple(items)


@settings(max_examples=150)
@given(histories(), TEXTS, st.booleans())
def test_every_history_gives_a_valid_request(
    items: tuple[HistoryItem, ...], system: str, tools: bool
) -> None:
    """Each call is answered once and in its place, roles alternate, nothing is empty, and ids are unique."""
    wanted = ModelRequest("m", system, items, (QUERY, BARE) if tools else (), parameters={"max_tokens": 1})
    for provider, dialect in DIALECTS.items():
        assert list(CHECK[dialect](body(provider, wanted), ())) == []


@pytest.mark.parametrize("provider", DIALECTS)
def test_a_request_begins_with_the_bytes_of_the_one_before_it(provider: str) -> None:
    """Up to the end of its newest message: providers charge a tenth for a cached prefix."""
    asked = replace(user("How many?"), data_part="<workspace>one table</workspace>")
    made, *answered = step(called(1, "c1abcdefg"), called(2, "c2abcdefg"), text="Looking.")
    step_with_data = (replace(made, data_part="<workspace>one step left</workspace>"), *answered)
    said: list[HistoryItem] = [
        asked,
        *step_with_data,
        *step(called(3, "c3abcdefg")),
        assistant("One."),
        user("Sure?"),
    ]
    ends = [1, 4, 6, len(said)]
    bodies = [
        sent(provider, request(*said[:end], tools=(QUERY,), parameters={"max_tokens": 9}, model="gemini-3"))
        for end in ends
    ]
    for end, before, after in zip(ends, bodies, bodies[1:], strict=False):
        newest = before.rindex(b"one step left" if end > 1 else b"How many?")
        same = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
        assert same >= newest


@pytest.mark.parametrize("provider", DIALECTS)
def test_the_data_part_follows_the_results_of_its_step(provider: str) -> None:
    """It is the last part on the user's side, and no provider gets two user messages in a row because of it."""
    made, *answered = step(called(1, "c1abcdefg"), called(2, "c2abcdefg"))
    wanted = request(user("a"), replace(made, data_part="Two steps are left."), *answered)
    newest = json.dumps((body(provider, wanted).get("messages") or body(provider, wanted)["contents"])[-1])
    assert newest.index("rows") < newest.index("Two steps are left.")


@pytest.mark.parametrize("provider", [*DIALECTS, "ollama"])
def test_a_reply_without_calls_is_requested_in_the_way_of_the_provider(provider: str) -> None:
    """The tools stay, since the cached prefix begins with them; Ollama ignores `tool_choice`."""
    wanted = request(user("a"), tools=(QUERY,), parameters={"max_tokens": 9}, may_call=False)
    told = body(provider, wanted)
    if provider == "ollama":
        assert "tools" not in told
        assert "tool_choice" not in told
        return
    assert "tools" in told
    none = {"anthropic": {"type": "none"}, "openai": "none", "mistral": "none"}
    assert told.get("tool_choice") == none.get(provider)
    if provider == "gemini":
        assert told["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
