"""Verify, run again with another file, and change a call, on the page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser

BY_REGION = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY revenue DESC"


def small_and_dark(page: Page, shoot: Callable[[Page, str], None], name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    settled(page)
    shoot(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    settled(page)


@pytest.mark.long
def test_calls_can_be_run_again_with_another_file_and_with_a_change(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    orders, november = tmp_path / "orders.csv", tmp_path / "november.csv"
    orders.write_text("region,revenue\nEast,100\nWest,200\n")
    november.write_text("region,revenue,channel\nWest,250\nNorth,500,web\n")
    query = {"name": "query", "arguments": {"sql": BY_REGION, "title": "By region"}}
    east = {"name": "query", "arguments": {"sql": "FROM orders WHERE region = 'East'", "title": "East"}}
    model = script([{"calls": [query, east]}, {"text": "West leads with 200."}])
    asked_before(page, served, model, "Which region leads?", files=[orders])

    page.locator(".st-key-verify-chat button:visible").click()
    expect(page.locator(".ab-verify-head")).to_contain_text("2 calls to run again")
    page.locator(".st-key-verify-all button").click()
    expect(page.locator(".ab-verify-head")).to_contain_text("2 calls ran again; 2 gave the same result")
    settled(page)
    shoot(page, "verify")
    small_and_dark(page, shoot, "verify-phone-dark")
    page.get_by_role("button", name="Open the chat").click()
    settled(page)
    expect(page.locator(".ab-meta", has_text="re-run identical")).to_be_visible()

    page.locator(".st-key-files button:visible").first.click()
    settled(page)
    page.locator("[class*=st-key-file-]", has_text="orders.csv").get_by_role(
        "button", name="orders.csv"
    ).first.click()
    page.locator(".st-key-rerun-with button").click()
    sheet = page.get_by_role("dialog")
    sheet.locator("input[type=file]").set_input_files(november)
    expect(sheet).to_contain_text("“East” is no longer a value of region, but a call quotes it.")
    expect(sheet).to_contain_text("new, not used")
    settled(page)
    shoot(page, "rerun-sheet")
    sheet.get_by_role("button", name="Run 2 calls again").click()
    band = page.locator(".st-key-rerun-band")
    expect(band).to_contain_text("Run again with orders.csv")
    expect(band).to_contain_text("2 of 2 calls ran")
    expect(band).to_contain_text("2 results moved")
    expect(page.locator(".ab-warning", has_text="This is the earlier answer's text")).to_be_visible()
    settled(page)
    shoot(page, "rerun-answer")
    small_and_dark(page, shoot, "rerun-answer-phone-dark")
    band.get_by_role("button", name="Compare").click()
    expect(page.locator(".st-key-compare")).to_contain_text("North")
    settled(page)
    page.get_by_role("button", name="Open the chat").click()
    settled(page)
    band.get_by_role("button", name="Back to the original").click()
    expect(band).to_have_count(0)
    settled(page)

    page.locator(".st-key-verify-chat button:visible").click()
    settled(page)
    page.locator(".st-key-hide-unchanged label").first.click()
    settled(page)
    row = page.locator("[class*=st-key-verdict-]").first
    row.locator("summary").click()
    words = row.get_by_label("Change this call")
    words.fill(BY_REGION.replace("sum", "min"))
    words.press("Control+Enter")
    settled(page)
    row.get_by_role("button", name="Run this and later calls on a new branch").click()
    expect(band).to_contain_text("Run again with a changed query")
    expect(band).to_contain_text("1 result moved")  # min() of whole numbers has another type than sum()
