"""The rows behind a value: from a number's panel, and from a cell of a table's card, by mouse and by key."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser
BEGUN = re.compile(r"Finding the rows · [1-9]\d* s")

SQL = (
    "SELECT region, sum(revenue) FILTER (quarter = 'Q2') AS q2, sum(revenue) FILTER (quarter = 'Q3') AS q3 "
    "FROM orders WHERE revenue > 10 GROUP BY region ORDER BY region"
)


def orders(folder: Path) -> Path:
    """East has 120 orders of 10 to 129 in each quarter, West two, and one order of 5 is below the limit."""
    lines = ["id,region,quarter,revenue,ordered_at"]
    for at in range(240):
        lines.append(
            f"{at},East,{'Q2' if at < 120 else 'Q3'},{at % 120 + 11},2026-0{4 if at < 120 else 7}-01"
        )
    lines += ["240,West,Q2,500,2026-05-02", "241,West,Q3,700,2026-08-03", "242,West,Q3,5,2026-09-30"]
    file = folder / "orders.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_the_rows_behind_a_number_and_a_cell_are_shown(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    query = {"name": "query", "arguments": {"sql": SQL, "title": "Revenue by region"}}
    model = script([{"calls": [query]}, {"text": "East made 8,460 in Q2, and West made 700 in Q3."}])
    page.set_viewport_size({"width": 1440, "height": 900})
    asked_before(page, served, model, "Revenue by region?", files=[orders(tmp_path)])

    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 30, box["y"] + 48)
    expect(page.get_by_text("region, row 1: East")).to_be_visible()
    settled(page)
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.get_by_text("q3, row 2: 700")).to_be_visible()

    page.get_by_role("link", name="8,460, in a result, from Revenue by region").click()
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_contain_text("Rows in the table")
    expect(panel.locator(".ab-totals")).to_contain_text("243")
    expect(panel.locator(".ab-totals")).to_contain_text("−1")
    expect(panel.locator(".ab-totals")).to_contain_text("Edits by hand")
    settled(page)
    shoot(page, "number-totals")
    panel.get_by_role("button", name="Which rows?").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The rows behind q2 of East: 8,460.")
    expect(dialog).to_contain_text("120 of 243 rows · orders.csv")
    expect(dialog).to_contain_text("Rows 1 to 100 of 120")
    settled(page)
    shoot(page, "which-rows")
    dialog.get_by_role("button", name="Next page").click()
    expect(dialog).to_contain_text("Rows 101 to 120 of 120")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="CSV").click()
    saved = Path(download.value.path()).read_text().splitlines()
    assert (len(saved), saved[0], saved[1]) == (
        121,
        "row,id,region,quarter,revenue,ordered_at",
        "1,0,East,Q2,11,2026-04-01",
    )
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    panel.get_by_role("button", name="Close").click()
    settled(page)

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    shoot(page, "which-rows-cell-small")
    page.get_by_role("button", name="Which rows?").click()
    expect(dialog).to_contain_text("The rows behind q3, row 2: 700.")
    expect(dialog).to_contain_text("1 of 243 rows")
    settled(page)
    shoot(page, "which-rows-small")


def pairs(folder: Path) -> Path:
    """So many rows that counting all their pairs takes seconds, and finding them much longer."""
    file = folder / "points.csv"
    file.write_text("id,v\n" + "".join(f"{at},{at % 7}\n" for at in range(50_000)))
    return file


def searched(served: Served) -> bool:
    """Whether a search has created its folder."""
    return any(served.data.rglob("rows-*"))


@pytest.mark.long
def test_a_long_search_can_be_stopped_with_its_button_or_by_closing(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    sql = "SELECT sum(a.v * b.v) AS product FROM points a, points b"
    query = {"name": "query", "arguments": {"sql": sql, "title": "Products"}}
    model = script([{"calls": [query]}, {"text": "The product is 22,497,750,000."}])
    asked_before(page, served, model, "Product of all pairs?", files=[pairs(tmp_path)])
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 30, box["y"] + 48)

    page.get_by_role("button", name="Which rows?").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("status")).to_have_text(BEGUN)
    shoot(page, "which-rows-searching")
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog).to_contain_text("The search was stopped, so no rows are shown.")
    settled(page)
    shoot(page, "which-rows-stopped")
    dialog.get_by_role("button", name="Search again").click()
    expect(dialog.get_by_role("status")).to_have_text(BEGUN)
    assert searched(served)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    while searched(served):  # the search would take a minute; pytest ends a story after five
        page.wait_for_timeout(100)
