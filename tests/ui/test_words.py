"""Texts on the page show what was written."""

from datetime import UTC, datetime

import pytest

from ui.words import day_of, label, local, local_time, prose, seconds, size


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("$5 and $10", r"\$5 and \$10"),
        (":red[x] and :material/home:", r"\:red[x] and \:material/home:"),
        ("`$x` costs $5", r"`$x` costs \$5"),
        ("```\n$a\n```\n$b", "```\n$a\n```\n\\$b"),
        ("at 14:02, ratio 1:2", "at 14:02, ratio 1:2"),
        ("", ""),
    ],
)
def test_dollar_signs_and_colons_are_not_markup_outside_code(written: str, shown: str) -> None:
    assert prose(written) == shown


@pytest.mark.parametrize(
    "formula",
    [
        "$x^2$",
        "$\\beta_1 = 0.4$",
        "$n$",
        "$R^2 = 0.87$",
        "$$\\bar{x} = \\frac{1}{n}\\sum x_i$$",
        "$a+b$",
        "$p<0.05$",
    ],
)
def test_a_formula_stays_a_formula(formula: str) -> None:
    assert prose(f"So {formula}, then.") == f"So {formula}, then."


@pytest.mark.parametrize(
    "money",
    [
        "It rose from $5 to $10.",
        "$1,204.50 + $3 = $1,207.50",
        "US$5 and A$6",
        "between $5-$10",
        "$2.4 million, or $1.2bn",
        "costs $revenue and $profit",
        "the column $total_a and $total_b",
        "A $20_000 note and {x}$3",
        "one $ alone",
        "$",
        "($5 = \u20ac4)",
        "$5 is x=2 and y is $6",
    ],
)
def test_amounts_of_money_are_not_read_as_formulas(money: str) -> None:
    assert prose(money) == money.replace("$", r"\$")


def test_sizes_and_times_are_readable() -> None:
    assert [size(n) for n in (0, 812, 1_100_000, 15_241)] == ["0 B", "812 B", "1.1 MB", "15.2 kB"]
    assert [seconds(s) for s in (0.02, 1.25, 75.0, 119.7)] == ["20 ms", "1.2 s", "1 min 15 s", "2 min"]


@pytest.mark.parametrize(
    "written", ["![a](u)", "\\![a](u)", "\\\\![a](u)", "`![a](u)`", "````\n\n```\n\n````\n![a](u)\n```"]
)
def test_no_picture_syntax_is_left_in_a_text(written: str) -> None:
    assert "![" not in prose(written)


@pytest.mark.parametrize(
    "code", ["```rust\n#![no_std]\n```", "See:\n\n```\n![a](u)\n```\nand\n\n```js\n![1]\n```"]
)
def test_a_code_block_keeps_every_character(code: str) -> None:
    assert prose(code) == code


def test_a_label_shows_untrusted_text_unchanged() -> None:
    assert label("![x](u) *a*\nb") == r"\!\[x\]\(u\) \*a\* b"


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC), "17:02:03"),
        (datetime(2026, 11, 21, 7, 2, 3, tzinfo=UTC), "Nov 20, 23:02:03"),
        (datetime(2025, 12, 31, 20, 2, 3, tzinfo=UTC), "Dec 31 2025, 12:02:03"),
    ],
)
def test_a_time_is_shown_in_the_users_zone_with_the_day_if_it_is_not_today(
    moment: datetime, shown: str
) -> None:
    """In California, on the afternoon of November 21, when the UTC day is already the next one."""
    now = datetime(2026, 11, 22, 1, 30, tzinfo=UTC)
    assert local_time(moment, 480, with_seconds=True, now=now) == shown
    assert day_of(local(now, 480), local(now, 480)) == "Today"
