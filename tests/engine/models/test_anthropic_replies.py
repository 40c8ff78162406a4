"""Parsing replies of Anthropic's messages API."""

import json
from typing import Any

import pytest

from engine.models.model import Usage
from tests.engine.models.asking import Said, read, sse


def said(*payloads: Any, done: bool = False) -> Said:
    """Parse a stream of `payloads`."""
    return read("anthropic", sse(*payloads, done=done))


def block(start: dict[str, Any], *deltas: dict[str, Any], index: int = 0) -> list[dict[str, Any]]:
    """The events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(*pieces: str) -> list[dict[str, Any]]:
    """A block of text."""
    return block({"type": "text", "text": ""}, *({"type": "text_delta", "text": p} for p in pieces))


def used(*pieces: str, given: Any = None, index: int = 0) -> list[dict[str, Any]]:
    """A block with a tool call."""
    start = {"type": "tool_use", "id": f"t{index}", "name": "f", "input": given or {}}
    return block(start, *({"type": "input_json_delta", "partial_json": p} for p in pieces), index=index)


def stop(reason: str = "end_turn") -> dict[str, Any]:
    """The event with the stop reason."""
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}


START = {"type": "message_start", "message": {"usage": {"input_tokens": 3, "cache_read_input_tokens": 1}}}
END = {"type": "message_stop"}


def test_text_and_token_counts_are_read() -> None:
    """Input tokens come first and output tokens last; a repeated start does no harm."""
    found = said(START, START, {"type": "ping"}, *text("a", "b"), stop(), END)
    assert (found.text, found.ending.reason) == ("ab", "stop")
    assert found.ending.usage == Usage(3, 5, None, None, 1)


@pytest.mark.parametrize(
    ("events", "arguments"),
    [
        (used('{"a"', ":1}"), '{"a":1}'),
        (used(""), ""),
        (used(), ""),
        (used(given={"a": 1}), '{"a": 1}'),
    ],
)
def test_calls_are_assembled(events: list[Any], arguments: str) -> None:
    """From fragments, or complete in the block's start; without fragments there are no arguments."""
    found = said(START, *events, stop("tool_use"), END)
    assert found.calls == [("f", "t0", arguments)]
    assert found.ending.reason == "calls"


def test_thinking_signatures_are_stored_with_the_length_of_the_text() -> None:
    """Empty thinking may be signed too; redacted thinking is kept whole."""
    hidden = {"type": "redacted_thinking", "data": "x"}
    found = said(
        START,
        *block(
            {"type": "thinking", "thinking": ""},
            {"type": "thinking_delta", "thinking": "hm"},
            {"type": "signature_delta", "signature": "s1"},
        ),
        *block({"type": "thinking", "thinking": ""}, {"type": "signature_delta", "signature": "s2"}),
        *block(hidden),
        stop(),
        END,
    )
    assert found.reasoning == "hm"
    assert found.opaque == [
        {"type": "thinking", "signed": 2, "signature": "s1"},
        {"type": "thinking", "signed": 0, "signature": "s2"},
        hidden,
    ]


def test_server_side_tools_are_not_calls() -> None:
    """Their blocks are kept whole."""
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    found = said(
        *block(use, {"type": "input_json_delta", "partial_json": '{"q":1}'}), *block(result), stop(), END
    )
    assert (found.calls, found.opaque) == ([], [{**use, "input": {"q": 1}}, result])


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([*text("a"), stop("max_tokens"), END], "length"),
        ([*text("a"), stop("model_context_window_exceeded"), END], "length"),
        ([*text("a"), stop("refusal"), END], "content_filter"),
        ([*text("a"), stop("stop_sequence"), END], "stop"),
        ([*text("a"), stop("something_new")], "stop"),
        ([*used("{}"), stop("something_new"), END], "calls"),
        ([*used("{"), stop("something_new"), END], "error"),
        ([*text("a"), stop("pause_turn"), END], "error"),
        ([*used("{}"), stop("end_turn"), END], "calls"),
        ([*used("{"), stop("max_tokens"), END], "length"),
        ([*text("a")], "error"),
        ([*used("{}"), {"type": "error", "error": {"type": "overloaded_error"}}], "error"),
        ([*text("a"), "oops", stop(), END], "error"),
    ],
)
def test_stop_reasons_and_errors_are_read(events: list[Any], reason: str) -> None:
    """A stream with neither is cut."""
    assert said(START, *events).ending.reason == reason


def test_the_end_marker_of_another_dialect_ends_a_stream() -> None:
    """OpenRouter closes with `[DONE]`."""
    assert said(START, *text("a"), stop(), END, done=True).ending.reason == "stop"


def test_a_whole_message_is_read_like_a_stream() -> None:
    """A body with an error is an error."""
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1}},
    ]
    body = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 1}}
    found = read("anthropic", json.dumps(body).encode())
    assert (found.text, found.reasoning, found.calls) == ("a", "hm", [("f", "t", '{"x": 1}')])
    assert found.opaque == [{"type": "thinking", "signed": 2, "signature": "s"}]
    assert found.ending.reason == "calls"
    error = {"type": "error", "error": {"type": "x", "message": "no"}}
    assert read("anthropic", json.dumps(error).encode()).ending.error == error["error"]
