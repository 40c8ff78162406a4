"""Columns are cleaned with clicks only: each step first shows what it would change, and can be undone."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, at_the_terminal, looked_at, pick_option, settled
from tests.browser.test_accessible import findings
from tests.support.ugly_files import UGLY

pytestmark = pytest.mark.browser


@pytest.fixture
def shown(
    page: Page, served: Served, script: Callable[..., str], tmp_path: Path
) -> Callable[[str, str], Locator]:
    """Show a file's table and return its card."""

    def show(name: str, text: str) -> Locator:
        file = tmp_path / name
        file.write_text(text)
        table = name.partition(".")[0]
        calls = [
            {
                "calls": [
                    {"name": "toolset__data-analyst__query", "arguments": {"sql": f"SELECT * FROM {table}"}}
                ]
            },
            {"text": "Here."},
        ]
        asked_before(page, served, script(calls), "show it", files=[file])
        return page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first

    return show


def panel(page: Page) -> Locator:
    opened = page.locator(".st-key-side-panel")
    expect(opened).to_be_visible()
    settled(page)
    return opened


def pick(page: Page, label: str, option: str) -> None:
    pick_option(page, page.get_by_label(label, exact=True), option)


def make(page: Page, told: str) -> None:
    button = page.get_by_role("button", name="Make table")
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_role("status").filter(has_text=told)).to_be_visible()
    settled(page)


@pytest.mark.long
def test_mixed_dates_are_cleaned_from_the_note_about_them_and_the_step_is_undone(
    page: Page, shown: Callable[[str, str], Locator], shoot: Callable[[Page, str], None]
) -> None:
    days = (
        ["2026-07-14"] * 90
        + ["14.07.2026"] * 50
        + ["07/15/26"] * 60
        + ["07/08/26"] * 30
        + ["15 July 2026", "n/a"]
    )
    lines = "".join(f"{at},{day}\n" for at, day in enumerate([*days, "soon", "2026-02-30"]))
    card = shown("orders.csv", f"id,ordered_at\n{lines}")
    expect(card.locator(".ab-warning")).to_contain_text("ordered_at")
    card.get_by_role("button", name="ordered_at: Read as dates").click()
    opened = panel(page)
    for example, day, rows in (("14.07.2026", "2026-07-14", "50"), ("07/15/26", "2026-07-15", "60")):
        line = opened.locator(".ab-readings tr").filter(has_text=example)
        expect(line).to_contain_text(day)
        expect(line).to_contain_text(rows)
    expect(opened).to_contain_text("30 dates can be read in two ways. 07/08/26 is 2026-08-07 or 2026-07-08.")
    expect(opened).to_contain_text("60 other dates can only have the month first.")
    expect(opened).to_contain_text("2 values cannot be read and are left empty: “2026-02-30”, “soon”.")
    looked_at(page, shoot, "clean-dates")
    assert findings(page) == []
    opened.get_by_role("radio", name="Day first: 2026-08-07").click()
    settled(page)
    make(page, "Made orders_clean, 234 rows.")
    cards = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")
    expect(cards).to_have_count(2)
    expect(cards.last).to_contain_text("run by you")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("orders_clean was removed again. It is still in the history.")).to_be_visible()


@pytest.mark.long
def test_two_columns_cleaned_in_a_row_lose_nothing(
    page: Page, served: Served, shown: Callable[[str, str], Locator]
) -> None:
    lines = "".join(f"{at},2026-07-{at % 28 + 1:02d},{at}.5\n" for at in range(100))
    card = shown("meters.csv", f"id,day,kwh\n{lines}100,1st of July,abt 900\n101,3 July 2026,7 kg\n")
    card.locator("[class*=st-key-clean-] button:visible").click()
    opened = panel(page)
    expect(page.get_by_label("Column of meters", exact=True)).to_have_value("day")
    make(page, "Made meters_clean, 102 rows.")
    expect(page.get_by_label("Column of meters_clean", exact=True)).to_have_value("kwh")
    expect(opened).to_contain_text("After: read day as dates")
    opened.get_by_text("Read “about 900”").click()
    settled(page)
    make(page, "Made meters_clean_2, 102 rows.")
    chat_id = page.url.partition("chat=")[2]
    told = json.loads(at_the_terminal(served, "replay", chat_id))
    assert [call["verdict"] for call in told["calls"]] == ["identical"] * 3


@pytest.mark.long
def test_similar_values_can_be_selected_split_and_filled_with_the_keyboard_too(
    page: Page, shown: Callable[[str, str], Locator], shoot: Callable[[Page, str], None]
) -> None:
    ugly = next(one for one in UGLY if one.name == "regions.csv")
    card = shown(ugly.name, ugly.text)
    card.locator("[class*=st-key-clean-] button:visible").click()
    opened = panel(page)
    pick(page, "Column of regions", "region")
    expect(opened).to_contain_text("values are nearly the same as another value")
    expect(opened.get_by_role("checkbox", checked=True).first).to_be_visible()
    risky = opened.get_by_role("checkbox", checked=False)
    expect(risky).to_have_count(1)
    risky.focus()
    page.keyboard.press("Space")
    settled(page)
    expect(risky).to_have_count(0)
    shoot(page, "clean-near-values")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").filter(has_text="Made regions_clean, 7 rows.")).to_be_visible()
    settled(page)
    pick(page, "Column of regions_clean", "region")
    pick(page, "What to do", "Split")
    page.get_by_label("Split at").fill(" ")
    page.keyboard.press("Enter")
    settled(page)
    expect(opened).to_contain_text("rows have 1 of 2 parts")
    make(page, "Made regions_clean_2, 7 rows.")
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)


@pytest.mark.long
def test_returning_to_a_column_shows_its_suggestions_again(
    page: Page, shown: Callable[[str, str], Locator]
) -> None:
    """The fields for its units are not drawn meanwhile."""
    card = shown("loads.csv", "id,load,note\n" + "1,1.5 kg,a b\n2,800 g,c d\n3,0.9 kg,e f\n4,soon,g h\n" * 3)
    card.locator("[class*=st-key-clean-] button:visible").click()
    opened = panel(page)
    pick(page, "Column of loads", "load")
    pick(page, "What to do", "Read as numbers")
    expect(opened).to_contain_text("3 values cannot be read and are left empty: “soon”.")
    pick(page, "Column of loads", "note")
    pick(page, "Column of loads", "load")
    expect(opened).to_contain_text("3 values cannot be read and are left empty: “soon”.")
    expect(opened.get_by_label("g: 3 rows, such as 800 g")).to_have_value("0.001")


@pytest.mark.long
def test_a_table_can_be_cleaned_from_the_files_panel(
    page: Page, shown: Callable[[str, str], Locator]
) -> None:
    ugly = next(one for one in UGLY if one.name == "merged_cells.csv")
    shown(ugly.name, ugly.text)
    page.locator(".st-key-files button:visible").first.click()
    settled(page)
    page.locator(".st-key-side-panel [class*=st-key-file-merged_cells] button:visible").first.click()
    settled(page)
    page.locator("[class*=st-key-clean-file-] button:visible").click()
    settled(page)
    pick(page, "Column of merged_cells", "city")
    pick(page, "What to do", "Keep some rows")
    pick(page, "Test", "does not contain")
    page.get_by_label("Value", exact=True).fill("total")
    page.keyboard.press("Enter")
    settled(page)
    make(page, "Made merged_cells_clean, 3 rows.")
    pick(page, "Column of merged_cells_clean", "region")
    pick(page, "What to do", "Fill down")
    make(page, "Made merged_cells_clean_2, 3 rows.")


def test_the_clean_button_opens_the_column_that_needs_cleaning_for_the_whole_table(
    page: Page, served: Served, script: Callable[..., str], tmp_path: Path
) -> None:
    """Also from a card that shows only the first rows, since nobody wants to clean only those."""
    ugly = next(one for one in UGLY if one.name == "deliveries.csv")
    (tmp_path / ugly.name).write_text(ugly.text)
    sql = "SELECT * FROM deliveries LIMIT 3"
    calls = [
        {"calls": [{"name": "toolset__data-analyst__query", "arguments": {"sql": sql}}]},
        {"text": "Here."},
    ]
    asked_before(page, served, script(calls), "show it", files=[tmp_path / ugly.name])
    card = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").first
    expect(card).to_contain_text("3 rows")
    card.get_by_role("button", name="Clean").click()
    opened = panel(page)
    expect(opened).to_contain_text("Column of deliveries")
    expect(opened.get_by_label("Column of deliveries")).to_have_value("delivered")
    expect(opened.get_by_label("What to do")).to_have_value("Read as dates")
    expect(opened.get_by_role("row", name="Rows 11 11")).to_be_visible()
