"""A reply reads the same wherever its bytes are cut: recorded replies and those of the fake provider."""

import functools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.models.model import ArgumentsDelta, Delta, ReasoningDelta, TextDelta
from tests.engine.models.asking import Said, read
from tests.engine.models.test_recorded_streams import PROVIDERS, STREAMS, recorded
from tests.support.providers.rendering import RENDER
from tests.support.providers.replies import Call, Reply

MADE_UP = [
    Reply(
        text=("<think>hm é", "😀</thi", "nk>\n\nOne."),
        reasoning=("Hm, ", "so."),
        signature="state",
        redacted="hidden",
        calls=(Call("query", ('{"sql": ', '"é 😀"}'), signature="s"), Call("today", "")),
    ),
    Reply(text="Half", error="Busy"),
    Reply(text="Cut", finish="length"),
]


@functools.cache
def bodies() -> list[tuple[str, str, bytes]]:
    """Name, dialect and bytes of every reply."""
    found = [
        (f"{dialect} {number}", dialect, b"".join(c for c in render(reply, 0) if isinstance(c, bytes)))
        for dialect, render in RENDER.items()
        for number, reply in enumerate(MADE_UP)
    ]
    for case in recorded():
        if case["http_status"] == 200 and case["transport"] != "chunk-lines":
            found.append((case["file"], PROVIDERS[case["dialect"]], (STREAMS / case["file"]).read_bytes()))
    return found


def joined(said: Said) -> tuple[object, ...]:
    """The parts of a reply, with neighbouring pieces of the same kind joined."""
    parts: list[Delta] = []
    for delta in said.deltas:
        last = parts[-1] if parts else None
        if isinstance(delta, TextDelta) and isinstance(last, TextDelta):
            parts[-1] = TextDelta(last.text + delta.text)
        elif isinstance(delta, ReasoningDelta) and isinstance(last, ReasoningDelta):
            parts[-1] = ReasoningDelta(last.text + delta.text)
        elif (
            isinstance(delta, ArgumentsDelta)
            and isinstance(last, ArgumentsDelta)
            and last.index == delta.index
        ):
            parts[-1] = ArgumentsDelta(last.index, last.text + delta.text)
        else:
            parts.append(delta)
    return *parts, said.ending


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_reply_reads_the_same_wherever_it_is_cut(data: st.DataObject) -> None:
    """In any pieces, including empty ones."""
    _, dialect, body = bodies()[data.draw(st.integers(0, len(bodies()) - 1))]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=12)))
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    assert joined(read(dialect, pieces)) == joined(read(dialect, body))


@pytest.mark.parametrize(("name", "dialect", "body"), [b for b in bodies() if len(b[2]) < 6000][::3])
def test_a_reply_that_ends_early_contains_no_more_than_the_whole(
    name: str, dialect: str, body: bytes
) -> None:
    """At any byte: its text is the beginning of the text, and its calls are not run unless the reply had ended."""
    whole = read(dialect, body)
    for cut in range(0, len(body), 37):
        part = read(dialect, body[:cut])
        assert whole.text.startswith(part.text.rstrip("\ufffd")), (name, cut)
        if part.ending.reason == "error" and part.ending.error is None:
            assert part.ending.broken == "cut" or part.ending.finish, (name, cut, part.ending)
        if part.ending.reason == "calls":
            assert json.dumps(part.calls) == json.dumps(whole.calls), (name, cut)
