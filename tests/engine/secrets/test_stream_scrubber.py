"""Secrets are removed from text that arrives in pieces, wherever it is cut."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.secrets.scrubber import Scrubber
from engine.secrets.stream_scrubber import StreamScrubber

SECRETS = {"model/openai": "sk-abcabcabd-0123456789", "toolset/kit/KEY": "aaaaaaaab"}
words = st.sampled_from([*SECRETS.values(), "sk-abc", "sk-", "aaaaaaaa", "a", "ordinary ", "text, "])


@given(st.lists(words, max_size=8).map("".join), st.lists(st.integers(0, 80), max_size=12))
def test_scrubbing_pieces_gives_the_same_as_scrubbing_the_whole(text: str, cuts: list[int]) -> None:
    said: list[str] = []
    scrubber = Scrubber(lambda: SECRETS)
    streaming = StreamScrubber(scrubber, said.append)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in itertools.pairwise(places):
        streaming.add(text[start:end])
    streaming.end()
    whole = "".join(said)
    assert not any(secret in whole for secret in SECRETS.values())
    assert whole == scrubber.text(text)


def test_without_secrets_no_text_is_held_back() -> None:
    said: list[str] = []
    streaming = StreamScrubber(Scrubber(dict), said.append)
    for piece in ("one ", "two"):
        streaming.add(piece)
    assert said == ["one ", "two"]
