"""Standing questions: pinned answers that are checked, and report what changed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served, serve_apart
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser
served = serve_apart()

AUGUST = "region,revenue\nEast,90500\nWest,200\nNorth,50\n"
SEPTEMBER = "region,revenue\nEast,84310\nWest,220\nNorth,500\n"
RENAMED = "region,amount\nEast,84310\nWest,220\nNorth,500\n"
BY_REGION = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY revenue DESC"
QUERY = {"name": "query", "arguments": {"sql": BY_REGION, "title": "By region"}}


def orders_of(served: Served) -> Path:
    """The orders.csv in the folder of the latest chat."""
    return max(served.data.glob("chats/*/workspace/orders.csv"))


def write(served: Served, text: str) -> None:
    """Change the chat's orders.csv in its folder."""
    orders_of(served).write_text(text)


def standing(page: Page) -> Locator:
    """Open the page of standing questions from the sidebar."""
    settled(page)
    page.locator(".st-key-foot a", has_text="Standing questions").click()
    expect(page.locator(".st-key-standing h1")).to_be_visible()
    settled(page)
    return page.get_by_test_id("standing-row")


def small_and_dark(page: Page, shoot: Callable[[Page, str], None], name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    settled(page)
    shoot(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
    settled(page)


@pytest.mark.long
def test_a_pinned_number_is_reported_as_changed_until_it_was_seen(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    orders = tmp_path / "orders.csv"
    orders.write_text(AUGUST)
    model = script([{"calls": [QUERY]}, {"text": "The East made **90,500**."}])
    asked_before(page, served, model, "What did the East make?", files=[orders])
    standing(page)
    expect(page.locator(".ab-standing-empty")).to_contain_text("Pin an answer to see it here.")
    shoot(page, "standing-empty")
    page.go_back()
    settled(page)

    page.locator("body").press("p")
    expect(page.get_by_text("Pinned to Standing questions.")).to_be_visible()
    row = standing(page)
    expect(row).to_contain_text("90,500")
    expect(row).to_contain_text("Not checked yet")
    row.get_by_role("button", name="Run again").click()
    expect(row).to_contain_text("Same")
    expect(row).to_contain_text("1 call")

    write(served, SEPTEMBER)
    page.get_by_role("button", name="Run all again").click()
    expect(row).to_contain_text("84,310")
    expect(row).to_contain_text("−6,190")
    expect(row).to_contain_text("−6.8%")
    expect(page.get_by_role("heading", name="Moved since you last looked")).to_be_visible()
    expect(page.locator(".st-key-foot a", has_text="Standing questions")).to_contain_text("1")
    expect(row.get_by_role("img")).to_have_attribute("aria-label", "3 values, from 90,500 to 84,310")
    row.get_by_role("button", name="More about this question").click()
    row.get_by_role("menuitemcheckbox", name="Up is good").click()
    settled(page)
    expect(row.locator(".movement b.bad")).to_have_text("−6,190")
    shoot(page, "standing-moved")
    small_and_dark(page, shoot, "standing-moved-phone-dark")

    row.get_by_role("button", name="More about this question").click()
    row.get_by_role("menuitem", name="Compare with before").click()
    expect(page.locator(".st-key-compare")).to_contain_text("84,310")
    row = standing(page)
    expect(page.get_by_role("heading", name="The same")).to_be_visible()
    row.focus()
    row.press("Enter")
    expect(page.locator(".ab-bubble")).to_contain_text("What did the East make?")
    settled(page)
    page.locator("body").press("p")
    expect(page.get_by_text("Unpinned.")).to_be_visible()


@pytest.mark.long
def test_a_check_that_cannot_run_says_why_and_how_to_continue(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    orders = tmp_path / "orders.csv"
    orders.write_text(AUGUST)
    model = script([{"calls": [QUERY]}, {"text": "**East** leads."}])
    asked_before(page, served, model, "Which region leads?", files=[orders])
    page.locator("[class*=st-key-pin-] button:visible").first.click()
    expect(page.get_by_text("Pinned to Standing questions.")).to_be_visible()
    write(served, RENAMED)
    row = standing(page)
    page.locator("body").press("Shift+R")
    expect(row).to_contain_text("orders.csv has no column revenue.")
    expect(page.get_by_role("heading", name="Needs you")).to_be_visible()
    settled(page)
    shoot(page, "standing-needs-you")
    row.get_by_role("button", name="Match columns").click()
    expect(page.get_by_role("dialog")).to_contain_text("Run again with another file")
    settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    settled(page)

    orders_of(served).unlink()
    row = standing(page)
    row.focus()
    row.press("r")
    expect(row).to_contain_text("orders.csv is no longer among the chat's files.")
    settled(page)
    row.get_by_role("button", name="Find the file").click()
    sheet = page.get_by_role("dialog")
    sheet.locator("input[type=file]").set_input_files(orders)
    sheet.get_by_role("button", name="Add it and run again").click()
    expect(row).to_contain_text("Same")
    settled(page)
    row.focus()
    row.press("u")
    expect(page.locator(".ab-standing-empty")).to_be_visible()
