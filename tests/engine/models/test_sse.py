"""Parsing event streams: as the standard allows, and as servers really send them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.reply_json import Done, Frame, Malformed, Payload, Stray, frames
from engine.models.sse import Event, EventLexer


def events(*chunks: bytes) -> list[Event]:
    """All events of `chunks`."""
    lexer = EventLexer()
    return [event for chunk in chunks for event in lexer.feed(chunk)] + list(lexer.close())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_three_ways(end: str) -> None:
    """LF, CRLF and CR are the same."""
    text = "\ufeff: hello|event: a|data: 1|data:2||id: 7|retry: 9|data: 3|||".replace("|", end)
    assert events(text.encode()) == [Event("1\n2", "a"), Event("3")]


def test_an_event_is_delivered_as_soon_as_its_blank_line_has_arrived() -> None:
    """Even if a CR could be followed by an LF in the next piece."""
    lexer = EventLexer()
    assert list(lexer.feed(b"data: 1\r\n\r")) == [Event("1")]
    assert list(lexer.feed(b"\ndata: 2\r\n\r\n")) == [Event("2")]
    assert list(lexer.close()) == []


@pytest.mark.parametrize("tail", ["data: 1", "data: 1\n", "data: 1\r"])
def test_the_last_event_needs_no_blank_line(tail: str) -> None:
    """It may be complete or cut; its content decides."""
    assert [event.data for event in events(tail.encode())] == ["1"]


def test_the_name_of_an_event_applies_only_to_that_event() -> None:
    """An event without data is ignored and leaves nothing behind."""
    assert events(b"event: a\n\ndata: 1\n\n") == [Event("1")]


def test_json_outside_an_event_is_a_separate_event() -> None:
    """A whole body, a pretty-printed error after events, the elements of an array, lines of JSON."""
    bare = [Event('{"a": [1, "}"]}', bare=True)]
    assert events(b' \n\n  {"a": [1, "}"]}') == bare
    assert events(b'data: 1\n{"a": [1, "}"]}\n') == [Event("1"), *bare]
    assert [e.data for e in events(b'[{"a":\n1},\r\n{"b": {}}\n]\n')] == ['{"a":\n1}', '{"b": {}}']
    assert [e.data for e in events(b'{"a":1}\n{"b":2}\n[DONE]\n')] == ['{"a":1}', '{"b":2}']


def test_truncated_json_is_reported_as_cut_off() -> None:
    """An object or an array that is not closed."""
    assert events(b'{"a": {') == [Event('{"a": {', bare=True, cut=True)]
    assert [e.cut for e in events(b'[{"a": 1},')] == [False, True]


def test_an_error_field_is_an_error() -> None:
    """GPUStack sends one; if its text is not JSON, it becomes the message."""
    assert list(frames([b'error: {"error": {"message": "no"}}\n\n'])) == [
        Payload({"error": {"message": "no"}}, "error")
    ]
    assert list(frames([b"error: no\n\n"])) == [Payload({"error": {"message": "no"}}, "error")]


def test_text_that_is_neither_an_event_nor_json_is_quoted() -> None:
    """For example a page of HTML with status 200."""
    assert list(frames([b"<html>\n<b>Busy</b>\n"])) == [Stray("<html> <b>Busy</b>")]


def test_end_marks_and_keepalives_are_ignored() -> None:
    """`[DONE]` in its spellings, pings without JSON, empty data."""
    text = b"data: [DONE]\n\ndata:[DONE] \n\nevent: ping\ndata: hey\n\ndata:\n\ndata: {\n\n"
    assert list(frames([text])) == [Done(), Done(), Malformed("{")]


def test_json_nested_too_deeply_is_malformed() -> None:
    """It neither crashes nor counts as an answer."""
    (found,) = frames([b"data: " + b"[" * 200_000 + b"\n\n"])
    assert isinstance(found, Malformed)


def test_an_unclosed_string_is_read_in_linear_time() -> None:
    """For example a body that was cut inside a long text."""
    (found,) = frames([b'{"a": "' + b"word \\n" * 100_000])
    assert isinstance(found, Malformed)


LINES = st.sampled_from(
    [
        "data: {}",
        "data:[1]",
        "data: ü😀",
        "event: e",
        ": c",
        "",
        "",
        "id: 1",
        '{"a": "é"}',
        "error: x",
        "x: y",
    ]
)


@given(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_events_read_the_same_wherever_the_bytes_are_cut(
    lines: list[str], end: str, data: st.DataObject
) -> None:
    """In any pieces."""
    whole = (end.join(lines) + end).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    once: list[Frame] = list(frames([whole]))
    assert list(frames(pieces)) == once
    assert list(frames(whole[i : i + 1] for i in range(len(whole)))) == once
