"""A funnel, and a table of cohorts."""

from collections import defaultdict
from datetime import date

import pytest

from engine.app.app import App
from tests.analyses.case import play
from tests.analyses.people import COHORTS, FUNNEL, STEPS, purchases, visits


@pytest.mark.long
def test_a_funnel_counts_its_steps_in_order(app: App) -> None:
    played = play(app, FUNNEL)
    did: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for user, step, minute in visits():
        did[user].append((minute, step))
    reached = dict.fromkeys(STEPS, 0)
    early = 0
    for events in did.values():
        ahead = iter(sorted(events))
        for step in STEPS:
            if not any(found == step for _, found in ahead):
                break
            reached[step] += 1
        early += min(events)[1] == "payment"
    for step, users in reached.items():
        assert f"- {step}: {users} users, {users / reached['visit']:.2%}" in played.answer
    assert played.number("before the first visit is not counted:") == early == 20
    assert "visit, cart, checkout, payment" in played.told()


@pytest.mark.long
def test_cohorts_are_counted_by_the_month_of_the_first_purchase(app: App) -> None:
    played = play(app, COHORTS)
    days: dict[int, list[date]] = defaultdict(list)
    for customer, day in purchases():
        days[customer].append(day)
    sizes: dict[int, int] = defaultdict(int)
    active: dict[tuple[int, int], int] = defaultdict(int)
    for bought in days.values():
        cohort = min(bought).month
        sizes[cohort] += 1
        for after in {day.month - cohort for day in bought}:
            active[cohort, after] += 1
    for cohort in range(1, 6):
        share = round(active[cohort, 1] / sizes[cohort], 4)
        assert f"- 2024-{cohort:02}: {sizes[cohort]} customers, after one month {share:.2%}" in played.answer
    assert played.table("cohort_table")["rows"] == [
        [
            f"2024-{cohort:02}",
            sizes[cohort],
            *[
                round(active[cohort, after] / sizes[cohort], 4) if (cohort, after) in active else None
                for after in range(6)
            ],
        ]
        for cohort in range(1, 7)
    ]
