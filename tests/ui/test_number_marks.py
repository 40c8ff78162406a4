"""Marks on numbers leave the Markdown around them unchanged."""

import pytest

from engine.numbers.evidence import Evidence
from engine.numbers.trace import trace
from engine.views.answer_number import AnswerNumber
from engine.views.placement import Words
from ui.widgets.numbers import linked


def drawn(answer: str) -> str:
    numbers = [AnswerNumber(at, one, ()) for at, one in enumerate(trace(answer, Evidence(())), 1)]
    (piece,) = linked(answer, [Words(answer)], "m", numbers)
    assert isinstance(piece, Words)
    return piece.text


def test_an_escaped_character_is_put_into_the_link_with_its_backslash() -> None:
    assert drawn(r"North had \$100 left.") == r"North had [\$100](#number-unbacked-m-1) left."


@pytest.mark.parametrize(
    "answer",
    [
        "See [**North 100**][ref].",
        "See [North 100](https://example.org/100).",
        "[a]: https://example.org/100",
        "A note[^100].",
        "www.example.org/100",
        r"\(x + 100\)",
        "`SELECT 100`",
        "```\n100\n```",
    ],
)
def test_links_code_and_formulas_are_not_changed(answer: str) -> None:
    assert drawn(answer) == answer


def test_a_number_in_bold_and_in_a_table_is_marked() -> None:
    assert drawn("**412,300** sold") == "**[412,300](#number-unbacked-m-1)** sold"
    assert "[412,300](#number-unbacked-m-1)" in drawn("| a | b |\n|---|---|\n| North | 412,300 |\n")
