"""A result that is too deep or too large is an error of its call, whatever the process sends."""

import json

import pytest

from engine.runtime.messages import Failure, Result, read_message
from engine.system.input_limits import DEEPEST, LONGEST_KEY, MOST_IN_RESULT


def sent(result: str) -> object:
    """How a line with this result is read."""
    return read_message(b'{"result": ' + result.encode() + b"}")


@pytest.mark.parametrize("levels", [DEEPEST, 500, 50_000])
def test_a_deeply_nested_result_is_refused_with_a_message(levels: int) -> None:
    answer = sent('{"a": ' + "[" * levels + "]" * levels + "}")
    assert isinstance(answer, Failure)
    assert answer.error.kind in {"too_large", "not_json"}


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (json.dumps({"a": [0] * (MOST_IN_RESULT + 1)}), "values"),
        (json.dumps({"k" * (LONGEST_KEY + 1): 1}), "key"),
    ],
)
def test_an_unbounded_result_is_refused_with_the_reason(result: str, why: str) -> None:
    answer = sent(result)
    assert isinstance(answer, Failure)
    assert why in answer.error.message


def test_an_ordinary_result_is_accepted() -> None:
    rows = {"rows": [{"n": n} for n in range(10_000)], "deep": json.loads("[" * 50 + "]" * 50)}
    assert sent(json.dumps(rows)) == Result(rows)
