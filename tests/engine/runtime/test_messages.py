"""Anything that a tool process sends is read without harm, and output is kept within its limit."""

import json

from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.capture import Capture
from engine.runtime.messages import Failure, Result, read_message
from engine.runtime.protocol import Confinement

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_without_an_error(line: bytes) -> None:
    read_message(line)


@given(st.sampled_from(["started", "confined", "progress", "result", "error"]), values)
def test_any_value_of_any_message_is_read_without_an_error(name: str, value: object) -> None:
    message = read_message(json.dumps({name: value}).encode())
    if isinstance(message, Result):
        json.dumps(message.value, allow_nan=False, ensure_ascii=False).encode()


def test_a_forged_result_with_half_a_character_or_nan_is_an_error() -> None:
    for line in (b'{"result": {"a": "\\ud800"}}', b'{"result": {"a": NaN}}', b'{"result": {"a": 1e999}}'):
        message = read_message(line)
        assert isinstance(message, Failure), line
        assert message.error.kind == "not_json"


def test_endless_nesting_is_an_error() -> None:
    assert isinstance(read_message(b'{"result": {"a": ' + b"[" * 100_000), Failure)


def test_a_confinement_is_accepted_only_with_a_known_level() -> None:
    assert read_message(b'{"confined": ["full", ["x"]]}') == Confinement("full", ("x",))
    assert read_message(b'{"confined": ["quite", ["x"]]}') is None


@given(st.lists(st.binary(max_size=30), max_size=20), st.integers(8, 100))
def test_output_within_the_limit_is_kept_and_longer_output_is_cut_in_the_middle(
    pieces: list[bytes], limit: int
) -> None:
    capture = Capture(limit)
    live = "".join(capture.feed(piece) for piece in pieces)
    whole = b"".join(pieces)
    assert capture.truncated == (len(whole) > limit)
    if not capture.truncated:
        assert capture.text() == whole.decode(errors="replace")
    else:
        head = whole[: limit - limit // 4].decode(errors="replace")
        assert capture.text().startswith(head)
        assert live.rstrip("\ufffd") in head
        assert f"{len(whole) - limit:,} bytes are left out" in capture.text()
