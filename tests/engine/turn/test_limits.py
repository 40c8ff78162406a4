"""When a turn has to end."""

import pytest

from engine.turn.limits import SAFETY_CAP, Repeats, steps_allowed, total


@pytest.mark.parametrize(
    ("limit", "on", "allowed"), [(5, True, 5), (1, True, 1), (0, True, 1), (999, True, 200), (5, False, 200)]
)
def test_the_limit_applies_if_it_is_on_and_the_safety_cap_always_applies(
    limit: int, on: bool, allowed: int
) -> None:
    assert steps_allowed(limit, on=on) == allowed
    assert SAFETY_CAP == 200


def test_a_call_is_refused_at_its_third_repetition_and_the_fifth_ends_the_turn() -> None:
    repeats = Repeats()
    seen = [repeats.see("kit:look", {"a": 1, "b": 2}) for _ in range(4)]
    assert [failure is None for failure in seen] == [True, True, False, False]
    assert not repeats.ends_turn
    repeats.see("kit:look", {"b": 2, "a": 1})
    assert repeats.ends_turn


def test_another_call_in_between_restarts_the_count() -> None:
    repeats = Repeats()
    calls = [("look", 1), ("look", 1), ("look", 2), ("look", 1), ("put", 1), ("look", 1)]
    assert all(repeats.see(tool, {"n": n}) is None for tool, n in calls)


def test_a_total_ignores_unknown_values_and_is_unknown_if_all_are() -> None:
    assert (total([1, None, 2]), total([None]), total([])) == (3, None, None)
