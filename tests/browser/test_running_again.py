"""Running recorded calls again, one short story for each thing that a user may want of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser

BY_REGION = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY revenue DESC"


def sheet_for(page: Page, new: Path) -> Locator:
    """Open the sheet that takes another file for orders.csv, and give it one."""
    page.locator(".st-key-files button:visible").first.click()
    settled(page)
    page.locator("[class*=st-key-file-]", has_text="orders.csv").get_by_role(
        "button", name="orders.csv"
    ).first.click()
    page.locator(".st-key-rerun-with button").click()
    sheet = page.get_by_role("dialog")
    sheet.locator("input[type=file]").set_input_files(new)
    return sheet


def test_a_renamed_column_is_matched_in_the_sheet(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    orders, restated = tmp_path / "orders.csv", tmp_path / "orders-restated.csv"
    orders.write_text("region,revenue\nEast,100\nWest,200\n")
    restated.write_text(
        "region,revenue_eur,tier\nEast,90\nWest,260\n".replace("\n", ",a\n").replace("tier,a", "tier")
    )
    query = {"name": "query", "arguments": {"sql": BY_REGION, "title": "By region"}}
    asked_before(
        page, served, script([{"calls": [query]}, {"text": "West leads."}]), "Who leads?", files=[orders]
    )

    sheet = sheet_for(page, restated)
    expect(sheet).to_contain_text("the name is alike")
    expect(sheet).to_contain_text("new, not used")
    settled(page)
    shoot(page, "rerun-columns")
    sheet.get_by_role("button", name="Run 1 call again").click()
    band = page.locator(".st-key-rerun-band")
    expect(band).to_contain_text("1 of 1 call ran")
    expect(band).to_contain_text("1 result moved")
