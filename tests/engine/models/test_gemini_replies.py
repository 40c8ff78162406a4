"""Parsing replies of Gemini's own API."""

import base64
import json
from typing import Any

import pytest

from engine.models.model import ImageDelta, Usage
from tests.engine.models.asking import Said, read, sse


def chunk(*parts: dict[str, Any], finish: str | None = None, **beside: Any) -> dict[str, Any]:
    """One chunk with the first candidate's parts."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **beside}


def said(*payloads: Any) -> Said:
    """Parse a stream of `payloads`."""
    return read("gemini", sse(*payloads, done=False))


def made(name: str = "f", **more: Any) -> dict[str, Any]:
    """A part with a call."""
    return {"functionCall": {"name": name, **more}}


END = chunk(finish="STOP")


def test_parts_marked_as_thoughts_are_reasoning() -> None:
    """Each part has a flag that says so."""
    found = said(chunk({"text": "hm", "thought": True}, {"text": "a"}), END)
    assert (found.reasoning, found.text, found.ending.reason) == ("hm", "a", "stop")


def test_calls_need_neither_an_id_nor_arguments() -> None:
    """Both are often missing; the finish reason is STOP all the same."""
    found = said(chunk(made(args={"a": "é"}), made("g")), chunk(made("h", id="x", args=None)), END)
    assert found.calls == [("f", "", '{"a": "é"}'), ("g", "", ""), ("h", "x", "")]
    assert found.ending.reason == "calls"


def test_arguments_in_pieces_are_assembled() -> None:
    """By path: strings are continued, lists and objects grow; the closing part may be missing."""
    pieces = [
        {"jsonPath": "$.s", "stringValue": "a", "willContinue": True},
        {"jsonPath": "$.s", "stringValue": "b"},
        {"jsonPath": "$.list[1].n", "numberValue": 2},
        {"jsonPath": "$['odd key']", "boolValue": True},
        {"jsonPath": "$.none", "nullValue": "NULL_VALUE"},
        {"jsonPath": "nonsense", "stringValue": "x"},
        {"jsonPath": "$.s.deeper"},
    ]
    found = said(
        chunk(made(willContinue=True)),
        *(chunk({"functionCall": {"partialArgs": [p], "willContinue": True}}) for p in pieces),
        chunk({"functionCall": {}}),
        chunk(made("g", willContinue=True, partialArgs=[pieces[0]])),
        END,
    )
    assert [(name, json.loads(text)) for name, _, text in found.calls] == [
        ("f", {"s": "ab", "list": [None, {"n": 2}], "odd key": True, "none": None}),
        ("g", {"s": "a"}),
    ]


def test_each_signature_stays_directly_after_its_part() -> None:
    """On a call, on text, on empty text, or separate: each comes right after the part that it belongs to."""
    found = said(
        chunk({"text": "ab"}),
        chunk({"text": "cd", "thoughtSignature": "1"}),
        chunk({"text": "", "thoughtSignature": "2"}),
        chunk(made() | {"thoughtSignature": "3"}, made("g")),
        chunk({"thoughtSignature": "4"}),
        chunk({"text": "t", "thought": True, "thoughtSignature": "5"}),
        END,
    )
    assert found.opaque == [
        {"on": "text", "signed": 2, "thoughtSignature": "1"},
        {"on": "text", "signed": 0, "thoughtSignature": "2"},
        {"on": "call", "thoughtSignature": "3"},
        {"on": "text", "signed": 0, "thoughtSignature": "4"},
        {"on": "thought", "signed": 1, "thoughtSignature": "5"},
    ]
    kinds = [type(delta).__name__ for delta in found.deltas]
    assert kinds[:4] == ["TextDelta", "TextDelta", "OpaqueDelta", "OpaqueDelta"]
    assert kinds[4:7] == ["CallDelta", "OpaqueDelta", "CallDelta"]


def test_server_side_parts_are_not_calls_and_are_kept_whole() -> None:
    """Code that the server ran, and tools that it called."""
    parts: list[dict[str, Any]] = [{"executableCode": {"code": "1"}}, {"toolCall": {"id": "x"}}]
    found = said(chunk(*parts, {}), END)
    assert (found.calls, found.opaque) == ([], [{"on": "part", "part": part} for part in parts])


def test_pictures_are_kept_but_pictures_in_thoughts_are_not() -> None:
    """Between text and empty parts."""
    image = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(b"png").decode()}}
    found = said(chunk({"text": "a"}, {}, image, image | {"thought": True}), END)
    assert [d for d in found.deltas if isinstance(d, ImageDelta)] == [ImageDelta(b"png", "image/png")]


@pytest.mark.parametrize(
    ("payloads", "reason"),
    [
        ([chunk({"text": "a"}, finish="STOP"), chunk({"text": "b"}, finish="STOP")], "stop"),
        ([chunk(finish="MAX_TOKENS")], "length"),
        ([chunk({"text": "a"}), {"candidates": [{"finishReason": "SAFETY"}]}], "content_filter"),
        ([chunk(finish="RECITATION")], "content_filter"),
        ([{"promptFeedback": {"blockReason": "MODEL_ARMOR"}}], "content_filter"),
        ([chunk(finish="UNEXPECTED_TOOL_CALL")], "error"),
        ([chunk(finish="OTHER")], "error"),
        ([chunk(finish="FINISH_REASON_UNSPECIFIED")], "error"),
        ([chunk(finish="NO_IMAGE")], "error"),
        ([chunk({"text": "a"}, finish="SOMETHING_NEW")], "error"),
        ([chunk({"text": "a"}, finish="STOP"), chunk(finish="MALFORMED_FUNCTION_CALL")], "error"),
        ([chunk({"text": "a"}, finish="STOP"), chunk(finish="IMAGE_RECITATION")], "content_filter"),
        ([chunk({"text": "a"})], "error"),
        ([END, {"error": {"code": 503, "message": "no"}}], "error"),
        ([chunk(made(), finish="SAFETY")], "content_filter"),
        ([chunk(made(), finish="MAX_TOKENS")], "length"),
    ],
)
def test_finish_reasons_blocks_and_errors_are_read(payloads: list[Any], reason: str) -> None:
    """Each ends the reply."""
    assert said(*payloads).ending.reason == reason


@pytest.mark.parametrize(
    "finish",
    [
        "UNEXPECTED_TOOL_CALL",
        "MALFORMED_FUNCTION_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "MALFORMED_RESPONSE",
        "SOMETHING_NEW",
    ],
)
def test_a_call_does_not_run_after_an_abnormal_finish(finish: str) -> None:
    """Even if it looks complete; the finish reason and Google's message are put into the error."""
    last = {"candidates": [{"finishReason": finish, "finishMessage": "Say it differently."}]}
    ending = said(chunk({"text": "a"}, made(args={"x": 1})), last).ending
    assert (ending.reason, ending.finish, ending.detail) == ("error", finish, "Say it differently.")


def test_a_call_that_the_length_limit_cuts_can_be_distinguished_from_a_whole_one() -> None:
    """Its JSON breaks off; a whole call without arguments gets an empty object."""
    piece = {"jsonPath": "$.s", "stringValue": "a", "willContinue": True}
    cut = made("h", willContinue=True, partialArgs=[piece])
    found = said(chunk(made(args={"x": 1}), made("g")), chunk(cut), chunk(finish="MAX_TOKENS"))
    assert found.ending.reason == "length"
    assert found.calls == [("f", "", '{"x": 1}'), ("g", "", "{}"), ("h", "", '{"s": "a"')]


def test_text_after_the_first_stop_belongs_to_the_reply() -> None:
    """STOP may be sent twice."""
    assert said(chunk({"text": "a"}, finish="STOP"), chunk({"text": "b"}, finish="STOP")).text == "ab"


def test_an_error_outside_the_events_of_a_stream_is_reported() -> None:
    """The error is not in a `data:` line."""
    stream = (
        sse(chunk({"text": "a"}, finish="STOP"), done=False) + b'{\n  "error": {\n    "code": 499\n  }\n}\n'
    )
    assert read("gemini", stream).ending.error == {"code": 499}


def test_arrays_and_whole_bodies_are_read() -> None:
    """A body without a finish reason is an end; an array that is not closed is not."""
    array = json.dumps([chunk({"text": "a"}), END], indent=2).encode()
    assert (read("gemini", array).text, read("gemini", array).ending.reason) == ("a", "stop")
    assert read("gemini", array[:-1]).ending.reason == "error"
    assert read("gemini", json.dumps({"candidates": [{"content": {}}]}).encode()).ending.reason == "stop"
    error = json.dumps([{"error": {"message": "no"}}]).encode()
    assert read("gemini", error).ending.error == {"message": "no"}


def test_only_the_first_candidate_counts() -> None:
    """By its index, or by its position if it has none."""
    two = {"candidates": [{"content": {"parts": [{"text": t}]}} for t in "ab"]}
    assert said(two, {"candidates": [{"index": 1, "content": {"parts": [{"text": "c"}]}}]}, END).text == "a"


def test_the_last_reported_token_counts_are_used() -> None:
    """Here, reasoning tokens are counted separately from the output."""
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 6, "thoughtsTokenCount": 3}
    found = said(chunk(usageMetadata={"promptTokenCount": 1}), END | {"usageMetadata": usage})
    assert found.ending.usage == Usage(1, 2, 6, 3)
