"""Cleaning a messy export, and joining three files, one of which lacks a key."""

from collections import defaultdict

import pytest

from engine.app.app import App
from tests.analyses.case import play
from tests.analyses.cleaning import JOIN, MESSY, messy_orders, shop


@pytest.mark.long
def test_a_messy_export_is_cleaned_correctly(app: App) -> None:
    played = play(app, MESSY)
    orders = messy_orders()
    assert played.number("Revenue is") == pytest.approx(sum(o[3] for o in orders), abs=0.005)
    assert played.number("over") == 100
    assert played.number("orders in") == 3
    assert played.number("regions;") == 2
    first = played.told(0)
    for said in (
        "3 lines above the header",
        "“Sales export”",
        "abt 900",
        "1 100",
        "“€” is left out",
        "looks like a total",
    ):
        assert said in first
    months: dict[str, float] = defaultdict(float)
    for _, day, _, amount in orders:
        months[f"{day:%Y-%m}"] += amount
    table = played.table("monthly_revenue")
    assert [row[:2] for row in table["rows"]] == [
        [m, pytest.approx(total)] for m, total in sorted(months.items())
    ]


@pytest.mark.long
def test_three_files_are_joined_and_the_unmatched_key_is_reported(app: App) -> None:
    played = play(app, JOIN)
    orders, customers, prices = shop()
    sums: dict[str, float] = defaultdict(float)
    for order in orders:
        segment = customers.get(str(order["customer"]), "(unknown)")
        sums[segment] += int(str(order["quantity"])) * prices[str(order["product"])]
    for segment, revenue in sums.items():
        assert played.number(f"{segment}:") == pytest.approx(revenue, abs=0.005)
    assert played.number("Total revenue:") == pytest.approx(sum(sums.values()), abs=0.005)
    assert "120 of 120 orders" in played.answer
    assert "3 orders name the customer C99" in played.answer
