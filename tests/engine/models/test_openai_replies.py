"""Parsing replies of the chat-completions dialect, as servers really send them."""

import base64
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.model import ImageDelta, TextDelta, Usage
from tests.engine.models.asking import Said, read, sse


def chunk(finish: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    """One chunk of a stream."""
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def call(
    arguments: Any = None, index: int | None = 0, id: str | None = None, name: str | None = None, **more: Any
) -> dict[str, Any]:
    """One fragment of a call."""
    entry: dict[str, Any] = {"function": {"name": name, "arguments": arguments}, **more}
    return entry | ({} if index is None else {"index": index}) | ({} if id is None else {"id": id})


def calls(*fragments: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A chunk with fragments of calls."""
    return chunk(finish, tool_calls=list(fragments))


def said(*payloads: Any, done: bool = True) -> Said:
    """Parse a stream of `payloads`."""
    return read("openai", sse(*payloads, done=done))


END = chunk("tool_calls")


@pytest.mark.parametrize(
    ("payloads", "expected"),
    [
        pytest.param(
            [calls(call("", id="a", name="f")), calls(call('{"x"')), calls(call(":1}")), END],
            [("f", "a", '{"x":1}')],
            id="fragments by index",
        ),
        pytest.param(
            [
                calls(call("", 0, "a", "f"), call("", 1, "b", "g")),
                calls(call('{"g":', 1)),
                calls(call('{"f":', 0)),
                calls(call("1}", 1), call("2}", 0)),
                END,
            ],
            [("f", "a", '{"f":2}'), ("g", "b", '{"g":1}')],
            id="interleaved",
        ),
        pytest.param(
            [calls(call("{}", 0, "a", "f")), calls(call("{}", 0, "b", "f")), END],
            [("f", "a", "{}"), ("f", "b", "{}")],
            id="a new id on a used index",
        ),
        pytest.param(
            [calls(call("", 0, "0", "f")), calls(call('{"a":1}', 0, "0", "f")), END],
            [("f", "0", '{"a":1}')],
            id="id and name repeated",
        ),
        pytest.param(
            [
                calls(call("{", 0, "a", "f")),
                calls(call("}", 0, "", "")),
                calls(call(None, 0, None, None)),
                END,
            ],
            [("f", "a", "{}")],
            id="id and name empty or null later",
        ),
        pytest.param(
            [calls(call("{", 0, "a", "f")), calls(call("}", 0, "zufall")), END],
            [("f", "a", "{}")],
            id="another id without a name",
        ),
        pytest.param(
            [calls(call('{"a":1}', None, "x", "f"), call('{"a":2}', None, "y", "f"), finish="tool_calls")],
            [("f", "x", '{"a":1}'), ("f", "y", '{"a":2}')],
            id="no index, two in one chunk",
        ),
        pytest.param(
            [calls(call('{"a":1}', None, "", "f"), call('{"a":2}', None, "", "f"), finish="stop")],
            [("f", "", '{"a":1}'), ("f", "", '{"a":2}')],
            id="neither index nor id",
        ),
        pytest.param(
            [calls(call('{"a":1}', 0, "", "f")), calls(call('{"a":2}', 0, "", "f")), END],
            [("f", "", '{"a":1}'), ("f", "", '{"a":2}')],
            id="one index for all, and no ids",
        ),
        pytest.param(
            [calls(call("{", None, "x", "f")), calls(call('"a":1}', None)), END],
            [("f", "x", '{"a":1}')],
            id="no index, the last call goes on",
        ),
        pytest.param(
            [calls(call("", -1, "x", "f")), calls(call("{}", -1)), END], [("f", "x", "{}")], id="index -1"
        ),
        pytest.param(
            [calls(call('{"a"', 0, "x")), calls(call(":1}", 0, None, "f")), END],
            [("f", "x", '{"a":1}')],
            id="the name comes late",
        ),
        pytest.param([calls(call({"a": 1}, 0, "x", "f")), END], [("f", "x", '{"a": 1}')], id="an object"),
        pytest.param(
            [calls(call('{"a":1}{"a":2}', 0, "x", "f")), END],
            [("f", "x", '{"a":1}{"a":2}')],
            id="several objects in a row stay as they are",
        ),
        pytest.param(
            [
                chunk(function_call={"name": "f", "arguments": ""}),
                chunk(function_call={"arguments": "{}"}),
                END,
            ],
            [("f", "", "{}")],
            id="function_call",
        ),
        pytest.param(
            [calls({"index": 0, "type": "custom", "id": "c", "custom": {"name": "x", "input": "y"}}), END],
            [],
            id="a kind of call that is not ours",
        ),
        *(
            pytest.param(
                [calls(call(empty, 0, "x", "f")), END], [("f", "x", "")], id=f"no arguments: {empty!r}"
            )
            for empty in (None, "", "null")
        ),
        pytest.param(
            [calls(call("nu", 0, "x", "f")), calls(call("ll")), END], [("f", "x", "")], id="null in pieces"
        ),
        pytest.param([calls(call(" 5", 0, "x", "f")), END], [("f", "x", " 5")], id="not an object"),
    ],
)
def test_calls_are_assembled(payloads: list[Any], expected: list[tuple[str, str, str]]) -> None:
    """By index, id, or the last one; in order of first appearance."""
    found = said(*payloads)
    assert found.calls == expected
    assert found.ending.reason == ("calls" if expected else "stop")


def test_arguments_cut_by_the_length_limit_are_kept_as_they_arrived() -> None:
    """`null` could be the beginning of anything then."""
    found = said(calls(call("nul", 0, "x", "f")), chunk("length"))
    assert (found.calls, found.ending.reason) == ([("f", "x", "nul")], "length")


def test_a_call_without_a_name_is_an_error() -> None:
    """It cannot be run, and must not be left out silently."""
    assert said(calls(call('{"a":1}', 0, "x")), END).ending.reason == "error"


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("model_context_window_exceeded", "length"),
        ("content_filter: RECITATION", "content_filter"),
        ("something_new", "stop"),
        ("error", "error"),
        ("network_error", "error"),
        ("abort", "error"),
        ("function_call_filter: UNEXPECTED_TOOL_CALL", "error"),
    ],
)
def test_finish_reasons_are_read(finish: str, reason: str) -> None:
    """After an unknown one, text counts as a complete reply."""
    found = said(chunk(content="a"), chunk(finish), chunk(finish), {"choices": [], "usage": None})
    assert (found.text, found.ending.reason) == ("a", reason)


@pytest.mark.parametrize(
    ("finish", "arguments", "reason"),
    [
        ("something_new", '{"a":1}', "calls"),
        ("something_new", '{"a":', "error"),
        ("something_new", "", "error"),
        ("tool_use_failed", '{"a":1}', "error"),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", '{"a":1}', "error"),
        ("insufficient_system_resource", '{"a":1}', "error"),
        ("end_turn", "", "calls"),
    ],
)
def test_after_an_unknown_finish_reason_no_incomplete_call_runs(
    finish: str, arguments: str, reason: str
) -> None:
    """After one that reports a failure, no call runs at all."""
    ending = said(calls(call(arguments, 0, "x", "f")), chunk(finish)).ending
    assert (ending.reason, ending.finish) == (reason, finish if reason == "error" else "")


def test_a_gateways_native_finish_reason_counts_if_it_reports_a_bad_call() -> None:
    """OpenRouter sends `error` or `stop`, with Google's finish reason next to it."""
    for finish in ("error", "stop"):
        last = chunk(finish)
        last["choices"][0]["native_finish_reason"] = "MALFORMED_FUNCTION_CALL"
        ending = said(calls(call("{}", 0, "x", "f")), last).ending
        assert (ending.reason, ending.finish) == ("error", "MALFORMED_FUNCTION_CALL")


def test_a_stream_without_an_end_is_cut_and_done_is_an_end() -> None:
    """Without a finish reason and `[DONE]` it is cut. One of the two is enough."""
    assert said(chunk(content="a"), done=False).ending.broken == "cut"
    assert said(chunk(content="a"), done=True).ending.reason == "stop"
    assert said(chunk("stop", content="a"), done=False).ending.reason == "stop"
    assert said(calls(call("{}", 0, "a", "f")), done=True).ending.reason == "calls"


def test_only_the_first_choice_counts() -> None:
    """Chunks of several choices may alternate; one without an index belongs to the first."""
    other = chunk(None, 1, content="no")
    bare = {"choices": [{"delta": {"content": "b"}}]}
    assert said(chunk(content="a"), other, bare, chunk("stop")).text == "ab"


def test_a_message_next_to_deltas_is_not_repeated() -> None:
    """Perplexity repeats the message so far; a choice may have no delta."""
    both = {"choices": [{"delta": {"content": "a"}, "message": {"content": "a"}}]}
    last = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
    assert said(both, {"choices": [{"index": 0}]}, last).text == "a"


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("a", "a", ""),
        (None, "", ""),
        ({"a": 1}, '{"a": 1}', ""),
        ([{"type": "text", "text": "a"}, "b", {"type": "reference", "reference_ids": [1]}], "ab", ""),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "t"}]},
                {"type": "text", "text": "a"},
            ],
            "a",
            "t",
        ),
        ([{"type": "thinking", "thinking": "t"}, {"type": "refusal", "refusal": "no"}], "no", "t"),
    ],
)
def test_content_is_read_in_all_its_forms(content: Any, text: str, reasoning: str) -> None:
    """Text, parts, an object."""
    found = said(chunk(content=content), chunk("stop"))
    assert (found.text, found.reasoning) == (text, reasoning)


def test_a_refusal_is_shown() -> None:
    """It has its own field."""
    assert said(chunk(refusal="I can"), chunk(refusal="not."), chunk("stop")).text == "I cannot."


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "t"},
        {"reasoning": "t"},
        {"reasoning": "t", "reasoning_content": "t"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "t"}]},
        {"reasoning": "t", "reasoning_details": [{"type": "reasoning.summary", "summary": "t"}]},
        {"reasoning_text": "t", "content": None},
    ],
)
def test_reasoning_is_read_only_once(delta: dict[str, Any]) -> None:
    """Even if several fields repeat it."""
    assert said(chunk(**delta), chunk(content="a"), chunk("stop")).reasoning == "t"


@pytest.mark.parametrize(
    ("text", "reasoning", "rest"),
    [
        ("<think>\nhm</think>\n\na", "\nhm", "\n\na"),
        ("\n<reasoning>hm</reasoning>a", "hm", "\na"),
        ("<think>a</think>\n<think>b</think>c", "ab", "\nc"),
        ("<think></think>c", "", "c"),
        ("<think>open", "open", ""),
        ("<think>a</thin", "a</thin", ""),
        ("<thinking>a</thinking>", "", "<thinking>a</thinking>"),
        ("<thi", "", "<thi"),
        ("Say <think> and </think>.", "", "Say <think> and </think>."),
        ("<think>a</think>b <think>c</think>", "a", "b <think>c</think>"),
        ("a < b", "", "a < b"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_thinking_in_tags_at_the_start_is_reasoning(text: str, reasoning: str, rest: str, size: int) -> None:
    """Wherever it is cut; a tag that is mentioned later is text."""
    pieces = [chunk(content=text[i : i + size]) for i in range(0, len(text), size)]
    found = said(*pieces, chunk("stop"))
    assert (found.reasoning, found.text) == (reasoning, rest)


def test_text_streams_without_delay() -> None:
    """Each chunk is a delta."""
    found = said(chunk(content="a"), chunk(content="b"), chunk("stop"))
    assert [d for d in found.deltas if isinstance(d, TextDelta)] == [TextDelta("a"), TextDelta("b")]


def test_a_surrogate_pair_cut_in_two_is_one_character() -> None:
    """A server may cut between the halves of an escaped pair; half a pair cannot be stored."""
    stream = (
        b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"\\ude00\\ud83d"},"finish_reason":"stop"}]}\n\n'
    )
    assert read("openai", stream).text == "a😀\ufffd"


def test_the_last_reported_token_counts_are_used() -> None:
    """In any event; null values and missing ones are fine."""
    usage = {"prompt_tokens": 3, "completion_tokens": None, "total_tokens": 3}
    last = {
        "prompt_tokens": 3,
        "completion_tokens": 4,
        "total_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 2},
        "prompt_tokens_details": None,
        "prompt_cache_hit_tokens": 1,
    }
    first = chunk(content="a") | {"usage": usage}
    found = said(first, chunk("stop"), {"choices": [], "usage": last}, {"choices": [], "usage": None})
    assert found.ending.usage == Usage(3, 4, 7, 2, 1)
    assert said(chunk("stop") | {"x_groq": {"usage": usage}}).ending.usage == Usage(3, None, 3)
    assert said(chunk("stop")).ending.usage == Usage()


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "no", "code": 502}},
        chunk("stop") | {"error": {"message": "no"}},
        {"choices": [{"index": 0, "delta": {}, "error": {"message": "no"}}]},
        {"object": "error", "message": "no", "code": 400},
        {"detail": "no"},
        {"success": False, "errors": [{"message": "no"}]},
    ],
)
def test_an_error_under_status_200_is_an_error(error: dict[str, Any]) -> None:
    """In the stream, next to choices, after the end, or as the whole body; the text so far stays."""
    found = said(chunk(content="a"), error, chunk("stop"))
    assert (found.text, found.ending.reason) == ("a", "error")
    assert "no" in json.dumps(found.ending.error)
    assert read("openai", b"  \n" + json.dumps(error).encode()).ending.reason == "error"


def test_a_body_that_is_not_json_is_an_error() -> None:
    """Nothing is guessed."""
    assert said(chunk(content="a"), "oops", chunk("stop")).ending.broken == "not JSON: oops"
    assert read("openai", b"<html>Busy</html>").ending.broken == "not JSON: <html>Busy</html>"
    assert read("openai", b"").ending.broken == "cut"


def test_a_whole_body_is_read_like_a_stream() -> None:
    """Also with whitespace before it, and without a finish reason."""
    message = {
        "role": "assistant",
        "content": "a",
        "reasoning": "t",
        "tool_calls": [call("{}", None, "x", "f")],
    }
    body = {"object": "chat.completion", "choices": [{"message": message}], "usage": {"prompt_tokens": 1}}
    found = read("openai", b"\n\n   " + json.dumps(body, indent=1).encode())
    assert (found.text, found.reasoning, found.calls) == ("a", "t", [("f", "x", "{}")])
    assert (found.ending.reason, found.ending.usage.tokens_in) == ("calls", 1)


def test_a_choice_without_a_message_is_reported_as_filtered() -> None:
    """Azure sends neither delta nor message."""
    body = {"choices": [{"index": 0, "finish_reason": "content_filter"}]}
    assert read("openai", json.dumps(body).encode()).ending.reason == "content_filter"


def test_pictures_in_a_reply_are_kept() -> None:
    """They are data URLs next to the text."""
    url = "data:image/png;base64," + base64.b64encode(b"png").decode()
    found = said(chunk(images=[{"type": "image_url", "image_url": {"url": url}}]), chunk("stop"))
    assert [d for d in found.deltas if isinstance(d, ImageDelta)] == [ImageDelta(b"png", "image/png")]


def test_state_of_a_call_is_stored_with_the_calls_number() -> None:
    """From the call's own chunk, or from a later chunk that contains nothing else."""
    first = call("{}", 0, "a", "f", thought_signature="s")
    second = call("{}", 1, "b", "g")
    late = {"index": 1, "extra_content": {"google": {"thought_signature": "t"}}}
    found = said(calls(first), calls(second), calls(late), calls(late), END)
    assert found.opaque == [
        {"call": 0, "fields": {"thought_signature": "s"}},
        {"call": 1, "fields": {"extra_content": {"google": {"thought_signature": "t"}}}},
    ]


def test_fragments_of_reasoning_details_are_joined() -> None:
    """Fragments of one detail become one; plain text without a signature need not be sent back."""
    text = [{"type": "reasoning.text", "index": 0, "text": t} for t in ("a", "b")]
    sign = {"type": "reasoning.text", "index": 0, "text": "", "signature": "s", "format": "x"}
    secret = {"type": "reasoning.encrypted", "index": 1, "data": "d"}
    found = said(*(chunk(reasoning_details=[d]) for d in (*text, sign, secret)), chunk("stop"))
    (state,) = found.opaque
    assert state == {"message": {"reasoning_details": [{**sign, "text": "ab"}, secret]}}
    assert said(chunk(reasoning_details=text), chunk("stop")).opaque == []


MEMBERS = re.findall(
    r"\w+",
    """choices delta message content tool_calls function name arguments id index usage error type text candidates parts
    finish_reason reasoning reasoning_details functionCall content_block thinking""",
)
SCALARS = ["", "stop", "f", "{}", "<think>", "\ud83d"]
WILD = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(SCALARS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(WILD, max_size=5), st.sampled_from(["openai", "gemini", "anthropic"]))
def test_no_input_from_a_server_makes_a_reader_fail(payloads: list[Any], dialect: str) -> None:
    """Values of a wrong type count as missing, and everything read can be stored."""
    found = read(dialect, sse(*(json.dumps(p) for p in payloads)))
    (found.text + found.reasoning + json.dumps(found.calls, ensure_ascii=False)).encode()
    assert found.ending.reason in ("stop", "calls", "length", "content_filter", "error")
