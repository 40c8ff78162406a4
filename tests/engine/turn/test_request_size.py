"""How much of a conversation is summarised when it grows too long (SEAT-7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.turn.request_size import cut


@pytest.mark.parametrize(
    ("sizes", "users", "most", "expected"),
    [
        ([10, 10, 10, 10], [True, False, True, False], 20, 2),
        ([10, 10, 10, 10], [True, False, True, False], 39, 2),
        ([10, 10, 10, 90], [True, False, True, False], 20, 3),
        ([10, 90, 10, 10, 10], [True, False, False, False, False], 25, 3),
        ([10, 90], [True, False], 95, 1),
        ([10], [True], 1, 0),
        ([50, 50], [True, True], 1, 1),
        ([10, 10], [True, False], 20, 0),
    ],
    ids=[
        "whole turns go",
        "as few as fit",
        "the newest stays however long",
        "a turn is torn if it alone is too long",
        "a step stays without its question",
        "one message cannot be summarised",
        "the newest question stays",
        "all stay if all fit",
    ],
)
def test_the_oldest_messages_are_summarised_until_the_others_fit(
    sizes: list[int], users: list[bool], most: int, expected: int
) -> None:
    assert cut(sizes, users, most) == expected


@given(st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=2), st.integers(0, 1000))
def test_the_newest_message_stays_and_at_least_one_is_summarised_if_not_all_fit(
    messages: list[tuple[int, bool]], most: int
) -> None:
    sizes = [size for size, _ in messages]
    number = cut(sizes, [user for _, user in messages], most)
    assert (1 if sum(sizes) > most else 0) <= number <= len(sizes) - 1
    if any(sum(sizes[n:]) <= most for n in range(1, len(sizes))):
        assert sum(sizes[number:]) <= most
