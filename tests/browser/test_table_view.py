"""Working on a card: columns, totals, colours, one whole row; cells for a spreadsheet; and suggested joins."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, Served
from tests.browser.steps import asked_before, at_the_terminal, looked_at, pick_option, settled

pytestmark = pytest.mark.browser


@pytest.fixture
def card(page: Page, served: Served, script: Callable[..., str], tmp_path: Path) -> Locator:
    file = tmp_path / "orders.csv"
    lines = "".join(f"{n},{('East', 'West')[n % 2]},{n % 9},=1+{n}\n" for n in range(250))
    file.write_text(f"order_id,region,units,note\n{lines}")
    calls = [
        {"calls": [{"name": "toolset__data-analyst__query", "arguments": {"sql": "SELECT * FROM orders"}}]},
        {"text": "Here."},
    ]
    asked_before(page, served, script(calls), "show it", files=[file])
    return page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first


@pytest.mark.long
def test_a_view_with_chosen_columns_totals_and_colours_can_become_a_table(
    page: Page, card: Locator, shoot: Callable[[Page, str], None]
) -> None:
    card.locator("[class*=st-key-view-] button:visible").first.click()
    menu = page.locator("[data-testid=stPopoverBody]")
    expect(menu).to_contain_text("The view is saved")
    for name in ("units", "region"):
        pick_option(page, menu.get_by_label("Columns, in this order"), name)
    page.keyboard.press("Escape")
    for label in ("Totals of all rows", "Colour numbers by value", "Show the whole row when you select one"):
        menu.get_by_text(label).click()
        settled(page)
    expect(card.locator(".ab-totals")).to_contain_text(f"units {sum(n % 9 for n in range(250)):,}")
    expect(card).to_contain_text("Select a row on the left")
    shoot(page, "table-view")
    menu.get_by_role("button", name="Save as a new table").click()
    cards = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")
    expect(cards).to_have_count(2)
    expect(cards.last).to_contain_text("250 rows · 2 columns")


@pytest.mark.long
def test_a_view_is_kept_after_a_reload_in_another_tab_and_in_a_fork_and_can_be_reset(
    page: Page, card: Locator, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    def opened(tab: Page) -> Locator:
        tab.locator("[class*=st-key-view-] button:visible").first.click()
        return tab.locator("[data-testid=stPopoverBody]")

    menu = opened(page)
    pick_option(page, menu.get_by_label("Hide"), "note")
    page.keyboard.press("Escape")
    pick_option(page, menu.get_by_label("Name and format of one column"), "units")
    menu.get_by_label("Shown as").fill("Sold pieces")
    menu.get_by_label("Shown as").press("Enter")
    settled(page)
    menu.get_by_text("Totals of all rows").click()
    settled(page)
    looked_at(page, shoot, "table-view-menu")
    page.keyboard.press("Escape")
    card.get_by_label("Find in all rows").fill("East")
    card.get_by_label("Find in all rows").press("Enter")
    settled(page)

    def shows(tab: Page) -> None:
        settled(tab)
        shown = tab.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first
        expect(shown.locator(".ab-totals")).to_contain_text("Sold pieces")
        expect(shown.get_by_label("Find in all rows")).to_have_value("East")
        expect(shown).to_contain_text("of 125 found among 250")
        expect(opened(tab)).to_contain_text("note")
        tab.keyboard.press("Escape")

    page.reload()
    shows(page)
    shoot(page, "table-view-reloaded")
    chat_id = page.url.partition("chat=")[2]
    fork = json.loads(at_the_terminal(served, "chat fork", chat_id))["chat_id"]
    other = page.context.new_page()
    other.goto(served.path(f"?chat={fork}"))
    shows(other)
    other.close()
    opened(page).get_by_role("button", name="Reset view").click()
    settled(page)
    page.reload()
    settled(page)
    expect(card.locator(".ab-totals")).to_have_count(0)
    expect(card.get_by_label("Find in all rows")).to_have_value("")


@pytest.mark.long
def test_rows_copied_for_a_spreadsheet_contain_no_formulas(page: Page, card: Locator) -> None:
    card.locator("[class*=st-key-downloads-] button:visible").click()
    body = page.locator("[data-testid=stPopoverBody]")
    body.get_by_role("button", name="Copy for a spreadsheet").click()
    expect(body.get_by_text("Copied")).to_be_visible()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[:2] == ["order_id\tregion\tunits\tnote", "0\tEast\t0\t'=1+0"]
    assert len(lines) == 251


@pytest.mark.long
def test_a_join_is_suggested_with_the_share_of_values_found(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    folder = ROOT / "sample_bundles" / "sample-data"
    files = [folder / "orders.csv", next(folder.glob("returns.*"))]
    asked_before(page, served, script([{"text": "Hello."}]), "hello", files=files)
    page.keyboard.press("Control+b")
    settled(page)
    page.get_by_role("button", name="Table: orders").click()
    page.get_by_role("option", name="returns", exact=False).first.click()
    settled(page)
    page.get_by_role("button", name="Join orders on order_id · 100% match").click()
    shoot(page, "build-a-query-join")
    page.get_by_role("option", name="Join orders on order_id = order_id").click()
    settled(page)
    page.get_by_role("button", name="Add: Measure").click()
    page.get_by_role("option", name="number of rows").first.click()
    settled(page)
    page.locator(".st-key-build-sql button:visible").click()
    expect(page.locator("[data-testid=stPopoverBody]")).to_contain_text("JOIN")
