"""The reading of a question is shown under its answer, and can be changed there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, asked_before, settled

pytestmark = pytest.mark.browser

ORDERS = "region,channel,revenue,units\n" + "".join(
    f"{('North', 'South', 'West')[n % 3]},{('Shop', 'Online')[n % 2]},{n * 10},{n}\n" for n in range(1, 25)
)
PLAN = "region,revenue\nNorth,900\nSouth,950\nWest,1000\n"


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS)
    return path


def pill(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def choose(page: Page, name: str, typed: str, option: str) -> None:
    """Open a pill's menu with the keyboard, find a choice by typing, and choose it."""
    pill(page, name).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("combobox", name="Find")).to_be_focused()
    page.keyboard.type(typed)
    expect(page.get_by_role("option").first).to_contain_text(option)
    page.keyboard.press("Enter")


def light_and_a_dark_phone(page: Page, shoot: Callable[[Page, str], None], name: str) -> None:
    shoot(page, f"{name}-light")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    shoot(page, f"{name}-dark-phone")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


def test_each_change_of_a_part_adds_an_answer_next_to_the_earlier_ones_and_keeps_the_focus(
    page: Page, served: Served, orders: Path, shoot: Callable[[Page, str], None]
) -> None:
    asked_before(page, served, "offline", "total revenue by region", files=[orders])
    pill(page, "Group: by region").click()
    page.keyboard.type("bh")
    expect(page.get_by_test_id("pill-menu")).to_contain_text("No matching names")
    expect(page.locator(".st-key-side-panel")).to_have_count(0)
    page.get_by_role("combobox", name="Find").fill("")
    shoot(page, "reading-chips-menu")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("pill-menu")).to_be_hidden()
    choose(page, "Group: by region", "chan", "channel")
    expect(pill(page, "Group: by channel")).to_be_focused()
    expect(page.locator("[class*=st-key-card-]").last).to_contain_text("channel")
    expect(page.locator(".ab-meta").get_by_text("2 / 2")).to_be_visible()
    settled(page)
    light_and_a_dark_phone(page, shoot, "reading-chips")
    page.keyboard.press("+")
    page.keyboard.type("top 5")
    page.keyboard.press("Enter")
    expect(pill(page, "Limit: top 5")).to_be_visible()
    answered(page)
    pill(page, "Limit: top 5").press("Delete")
    expect(page.locator(".ab-meta").get_by_text("4 / 4")).to_be_visible()
    expect(pill(page, "Limit: top 5")).to_have_count(0)


@pytest.mark.long
def test_a_question_with_two_readings_is_answered_after_one_is_chosen_with_a_key(
    page: Page, served: Served, orders: Path, shoot: Callable[[Page, str], None]
) -> None:
    plan = orders.with_name("plan.csv")
    plan.write_text(PLAN)
    asked_before(page, served, "offline", "total revenue by region", files=[orders, plan])
    expect(page.get_by_text("This question can be read in two ways")).to_have_count(1)
    expect(page.get_by_text("You could ask:")).to_have_count(0)
    ways = page.locator(".ab-way")
    expect(ways).to_have_count(2)
    light_and_a_dark_phone(page, shoot, "two-readings")
    second = ways.nth(1).locator(".ab-pill").first.inner_text()
    page.locator(".ab-title").click()
    page.keyboard.press("2")
    expect(page.locator(".ab-meta").get_by_text("2 / 2")).to_be_visible()
    answered(page)
    expect(ways).to_have_count(0)
    expect(page.get_by_role("button", name=second)).to_be_visible()


@pytest.mark.long
def test_a_condition_on_groups_is_shown_and_can_be_removed(
    page: Page, served: Served, orders: Path, shoot: Callable[[Page, str], None]
) -> None:
    asked = "total units by region, only regions with total revenue over 950"
    asked_before(page, served, "offline", asked, files=[orders])
    answer = "Total units by region (total revenue more than 950): North 108; West 100."
    expect(page.get_by_text(answer)).to_be_visible()
    pill(page, "Condition on groups: with total revenue more than 950").click()
    light_and_a_dark_phone(page, shoot, "reading-chips-groups")
    page.keyboard.press("Escape")
    choose(page, "Condition on groups: with total revenue more than 950", "remove", "Remove")
    answered(page)
    expect(page.get_by_text("Condition on groups")).to_have_count(0)
    expect(pill(page, "Group: by region")).to_be_visible()


@pytest.mark.long
def test_the_unit_of_a_time_between_two_dates_can_be_chosen(
    page: Page, served: Served, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    rides = tmp_path / "rides.csv"
    rides.write_text(
        "ride_id,started_at,ended_at,rider\nr1,2024-05-01 08:00:00,2024-05-01 08:30:00,member\n"
        "r2,2024-05-01 23:30:00,2024-05-02 00:30:00,member\nr3,2024-05-02 10:00:00,2024-05-02 12:00:00,casual\n"
    )
    asked_before(page, served, "offline", "average ride duration by rider", files=[rides])
    minutes = "average minutes from started_at to ended_at"
    expect(page.get_by_text(f"A{minutes[1:]} by rider: casual 120; member 45.")).to_be_visible()
    pill(page, f"Measure: {minutes}").click()
    light_and_a_dark_phone(page, shoot, "reading-chips-duration")
    page.keyboard.press("Escape")
    hours = minutes.replace("minutes", "hours")
    choose(page, f"Measure: {minutes}", "average hours", hours)
    answered(page)
    expect(page.get_by_text(f"A{hours[1:]} by rider: casual 2; member 0.75.")).to_be_visible()


@pytest.mark.long
def test_a_question_that_cannot_be_answered_offers_the_nearest_one_with_one_click(
    page: Page, served: Served, orders: Path, shoot: Callable[[Page, str], None]
) -> None:
    asked_before(page, served, "offline", "total revenue by region in the media", files=[orders])
    said = page.get_by_text("Without “in the media”, I can answer the first question below")
    expect(said).to_be_visible()
    light_and_a_dark_phone(page, shoot, "nearest-question")
    pill(page, "Total revenue by region").click()
    answered(page)
    expect(page.locator(".ab-bubble").last).to_have_text("Total revenue by region")
    expect(page.get_by_role("button", name="Group: by region")).to_be_visible()
