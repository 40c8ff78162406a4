"""The lists in the composer: `@` for names in the data, `/` for commands. With the keyboard and on a phone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_names_and_commands_can_be_chosen_from_lists(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nEast,100\nWest,200\n")
    query = {"name": "query", "arguments": {"sql": "FROM orders", "title": "Regional revenue"}}
    model = script([{"calls": [query]}, {"text": "Two rows."}])
    asked_before(page, served, model, "Show them", files=[orders])
    field, entries = page.locator(".st-key-composer textarea"), page.locator(".st-key-mentions .entry")

    field.click()
    field.press_sequentially("Sum @re")
    expect(entries.first).to_have_text("regionorders2 values")
    expect(entries.nth(1)).to_contain_text("revenue")
    expect(page.locator(".st-key-mentions .entries")).to_contain_text("regional_revenue")
    shoot(page, "mentions")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".st-key-mentions .facts")).to_contain_text("Largest")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Sum revenue ")
    expect(entries.first).not_to_be_visible()
    field.press_sequentially("by @reg")
    page.keyboard.press("Escape")
    expect(entries.first).not_to_be_visible()
    expect(field).to_have_value("Sum revenue by @reg")

    field.fill("")
    field.press_sequentially("/que")
    expect(entries.first).to_contain_text("/query")
    expect(page.locator(".st-key-mentions .facts")).to_contain_text("sql (rest of the line)")
    shoot(page, "commands")
    page.keyboard.press("Tab")
    expect(field).to_have_value("/query ")
    field.press_sequentially("SELECT 7 AS seven")
    page.keyboard.press("Enter")
    settled(page)
    expect(page.locator(".ab-bubble").last).to_have_text("/query SELECT 7 AS seven")

    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    settled(page)
    field.click()
    field.press_sequentially("@")
    expect(entries.first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shoot(page, "mentions-phone-dark")
    entries.nth(1).click()
    expect(field).to_have_value("revenue ")
