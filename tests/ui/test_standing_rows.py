"""The texts about standing questions on the page."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.views.standing import StandingQuestion, standing_of
from events.catalog.standing import PinnedValue
from ui.components.standing_list.component import StandingRow
from ui.widgets.standing_rows import standing_groups

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def value(text: str, number: float | None, **more: Any) -> dict[str, Any]:
    return PinnedValue(text=text, number=number, call=0, column="c", row=0, **more).model_dump()


def row(
    pinned: dict[str, Any] | None,
    *checks: dict[str, Any],
    good: str | None = None,
    running: bool = False,
    began: str = "",
) -> tuple[str, StandingRow]:
    """The group and the row of a question with these checks, an hour apart, the last one six minutes ago."""
    pin = {
        "pin_id": "p",
        "chat_id": "c",
        "message_id": "m",
        "trigger": "when a file changes",
        "good": good,
        "files": {"orders.csv": "a"},
        "value": pinned,
        "seen_check": None,
        "seen_at": None,
        "started_check": began or (f"check{len(checks) - 1}" if checks else None),
        "pinned_at": datetime(2026, 11, 15, tzinfo=UTC),
    }
    empty = {"after": None, "why": "", "fix": "", "path": None, "message_id": None, "calls": 1, "moved": 0}
    rows = [
        empty
        | check
        | {
            "pin_id": "p",
            "check_id": f"check{at}",
            "checked_at": NOW - timedelta(minutes=6, hours=len(checks) - 1 - at),
        }
        for at, check in enumerate(checks)
    ]
    (standing,) = standing_of([pin], rows, ["p"] if running else [])
    (group,) = standing_groups([StandingQuestion(standing, "East?", "Q3", running)], 0, NOW)
    (found,) = group.rows
    return group.title, found


@pytest.mark.parametrize(("good", "tone"), [(None, ""), ("up", "bad"), ("down", "good")])
def test_a_decrease_is_bad_only_if_an_increase_is_good(good: str | None, tone: str) -> None:
    moved = {"verdict": "moved", "after": value("84,310", 84310)}
    group, found = row(value("90,500", 90500), moved, good=good)
    assert group == "Moved since you last looked"
    assert (found.change, found.note, found.tone) == ("−6,190", "−6.8% since 15 Nov", tone)
    assert (found.badge, found.when, found.told) == (
        "Moved",
        "6 min ago · 1 call",
        "2 values, from 90,500 to 84,310",
    )
    assert found.where == "Q3 · when orders.csv changes"


def test_a_change_of_a_share_is_given_in_points() -> None:
    shown = {"scale": 100.0, "decimals": 1, "after": "%"}
    moved = {"verdict": "moved", "after": value("10.1%", 0.101, **shown)}
    _, found = row(value("9.6%", 0.096, **shown), moved)
    assert (found.change, found.note) == ("+0.5 points", "since 15 Nov")


def test_a_changed_word_shows_the_earlier_one() -> None:
    changed = {"verdict": "no longer follows", "after": value("North", None)}
    _, found = row(value("East", None), changed)
    assert (found.value, found.change, found.note, found.badge) == (
        "North",
        "was East",
        "answer changed",
        "No longer true",
    )
    assert found.told == "2 answers, from East to North"


def test_a_failed_check_keeps_the_last_good_value_and_offers_one_way_to_continue() -> None:
    refused = {
        "verdict": "could not run",
        "why": "orders.csv has no column kg.",
        "fix": "match columns",
        "path": "orders.csv",
    }
    group, found = row(value("41.2 kg", 41.2), {"verdict": "same", "after": value("41.2 kg", 41.2)}, refused)
    assert group == "Needs you"
    assert (found.value, found.muted, found.note) == ("41.2 kg", True, "last good value, today")
    assert (found.badge, found.why, found.fix) == (
        "Could not run",
        "orders.csv has no column kg.",
        "Match columns",
    )


def test_if_an_answer_has_several_values_the_changed_results_are_counted() -> None:
    _, found = row(None, {"verdict": "moved", "moved": 2})
    assert (found.value, found.none, found.change) == ("2 results moved", True, "")
    assert row(None)[1].value == "no single value"


def test_a_check_without_a_result_was_interrupted_unless_it_still_runs() -> None:
    same = {"verdict": "same", "after": value("1", 1.0)}
    group, found = row(value("1", 1.0), same, began="another")
    assert (group, found.badge, found.why) == (
        "Needs you",
        "Interrupted",
        "Anabranch closed during the check. Run it again.",
    )
    group, found = row(value("1", 1.0), same, began="another", running=True)
    assert (group, found.running, found.badge, found.change) == ("The same", True, "Same", "0")
