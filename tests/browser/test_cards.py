"""Result cards: pages of rows, their chart, their SQL to edit and run, and downloads."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from python_calamine import CalamineWorkbook

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, looked_at, pick_option, settled

pytestmark = pytest.mark.browser

REGIONS = ("East", "West", "North", "South")


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    lines = [f"{n},{REGIONS[n % 4]},{n % 9}" for n in range(2_500)]
    path.write_text("order_id,region,units\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def result(page: Page, served: Served, script: Callable[..., str], orders: Path) -> Callable[..., Locator]:
    """Ask a script that makes these calls of the analyst; return the last card."""

    def made(*steps: tuple[str, dict[str, object]]) -> Locator:
        calls = [
            {"calls": [{"name": f"toolset__data-analyst__{name}", "arguments": given}]}
            for name, given in steps
        ]
        asked_before(page, served, script([*calls, {"text": "There it is."}]), "show it", files=[orders])
        return page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").last

    return made


def face(card: Locator, name: str) -> None:
    card.get_by_role("radio", name=name).click()
    expect(card.get_by_role("radio", name=name)).to_be_checked()


def shown(card: Locator, column: int, row: int = 0) -> Locator:
    """A cell of the grid, as a screen reader reads it."""
    return card.locator(f"[data-testid=glide-cell-{column}-{row}]")


def menu(page: Page, card: Locator) -> Locator:
    card.locator("[class*=st-key-downloads-] button:visible").click()
    body = page.locator("[data-testid=stPopoverBody]")
    expect(body).to_be_visible()
    return body


@pytest.mark.long
def test_a_long_result_can_be_paged_sorted_and_searched_over_all_its_rows(
    page: Page, result: Callable[..., Locator], shoot: Callable[[Page, str], None]
) -> None:
    card = result(("query", {"sql": "SELECT * FROM orders", "title": "All orders"}))
    expect(card).to_contain_text("2,500 rows · 3 columns")
    expect(card).to_contain_text("Rows 1 to 100 of 2,500")
    expect(card).to_contain_text("from orders.csv")
    expect(card).to_contain_text("50 of 2,500 rows sent to the model")
    shoot(page, "card-rows")
    card.locator("[class*=st-key-pages-] button:visible", has_text="25").click()
    expect(card).to_contain_text("Rows 2,401 to 2,500 of 2,500")
    expect(shown(card, 0)).to_have_text("2400")
    pick_option(page, card.locator("[class*=st-key-sort-] input"), "order_id ↓")
    expect(card).to_contain_text("Rows 1 to 100 of 2,500")
    expect(shown(card, 0)).to_have_text("2499")
    field = card.locator("[class*=st-key-find-] input")
    field.fill("north")
    field.press("Enter")
    expect(card).to_contain_text("of 625 found among 2,500")
    expect(shown(card, 1)).to_have_text("North")
    field.fill("nowhere")
    field.press("Enter")
    expect(card).to_contain_text("No row contains “nowhere”.")


@pytest.mark.long
def test_a_table_without_a_chart_can_be_drawn_from_chosen_columns(
    page: Page, result: Callable[..., Locator], shoot: Callable[[Page, str], None]
) -> None:
    card = result(("query", {"sql": "SELECT * FROM orders"}))
    face(card, "Chart")
    expect(card.locator(".ab-warning")).to_have_text(
        "No chart yet: up to 625 rows would share one mark. Choose a colour, panels, or how to combine the rows."
    )
    expect(card.locator(".marks")).to_have_count(0)
    settled(page)
    shoot(page, "card-shared-marks")
    pick_option(page, card.locator("[class*=st-key-combine-] input"), "Sum")
    expect(card.locator("svg.marks")).to_be_visible()
    expect(card.locator(".ab-warning")).to_have_count(0)
    expect(card).to_contain_text("sum of units")
    shoot(page, "card-combined")
    pick_option(page, card.locator("[class*=st-key-x-] input"), "order_id")
    expect(card.get_by_text("sum of units")).to_have_count(0)
    expect(card.locator(":is(svg, canvas).marks")).to_be_visible()


@pytest.mark.long
def test_a_query_and_a_chart_of_its_result_share_a_card_with_three_views(
    page: Page, result: Callable[..., Locator], shoot: Callable[[Page, str], None]
) -> None:
    card = result(
        ("query", {"sql": "SELECT region, sum(units) AS units FROM orders GROUP BY 1", "title": "Units"}),
        ("chart", {"sql": "SELECT * FROM units", "mark": "bar", "x": "region", "y": "units"}),
    )
    expect(page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")).to_have_count(1)
    expect(card.get_by_role("radio", name="Chart")).to_be_checked()
    expect(card.locator("svg.marks")).to_be_visible()
    shoot(page, "card-joined")
    face(card, "Data")
    expect(shown(card, 0)).to_be_attached()
    face(card, "SQL")
    expect(card.locator("[data-testid=editor-text]")).to_have_value(
        "SELECT region, sum(units) AS units FROM orders GROUP BY 1"
    )


@pytest.mark.long
def test_a_result_and_its_chart_can_be_downloaded(page: Page, result: Callable[..., Locator]) -> None:
    card = result(("query", {"sql": "SELECT region, sum(units) AS units FROM orders GROUP BY 1 ORDER BY 1"}))
    body = menu(page, card)
    with page.expect_download() as workbook:
        body.get_by_role("button", name="Excel").click()
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(Path(workbook.value.path()).read_bytes()))
    assert sheet.get_sheet_by_index(0).to_python()[:2] == [
        ["region", "units"],
        ["East", float(sum(n % 9 for n in range(0, 2_500, 4)))],
    ]
    with page.expect_download() as parquet:
        body.get_by_role("button", name="Parquet").click()
    assert Path(parquet.value.path()).read_bytes()[:4] == b"PAR1"
    body.get_by_role("button", name="Copy as Markdown").click()
    expect(body.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith(
        "| region | units |\n| --- | --- |\n| East |"
    )
    page.keyboard.press("Escape")
    expect(body).to_have_count(0)
    face(card, "Chart")
    expect(card.locator("svg.marks")).to_be_visible()
    body = menu(page, card)
    with page.expect_download() as picture:
        body.get_by_role("button", name="Chart as PNG").click()
    png = Path(picture.value.path()).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20]) > 2 * 640
    with page.expect_download() as drawing:
        body.get_by_role("button", name="Chart as SVG").click()
    assert Path(drawing.value.path()).read_text().startswith("<svg")


@pytest.mark.long
def test_sql_can_be_edited_and_run_on_its_card_and_the_run_is_recorded(
    page: Page, result: Callable[..., Locator], shoot: Callable[[Page, str], None]
) -> None:
    card = result(
        ("query", {"sql": "SELECT region, sum(units) AS n\r\nFROM orders GROUP BY 1", "title": "Units"})
    )
    face(card, "SQL")
    field = card.get_by_test_id("editor-text")
    field.click()
    face(card, "Data")
    face(card, "SQL")
    expect(card.get_by_text("Back to the original")).to_have_count(0)
    field.fill("select region, units from orders where units > 1 " + "and units < 4711 " * 12)
    card.get_by_role("button", name="Format").click()
    expect(field).to_have_value(
        re.compile(r"SELECT\n  region,\n  units\nFROM orders\nWHERE\n  units > 1\s+AND")
    )
    assert field.evaluate("e => e.scrollWidth <= e.clientWidth"), "long lines are wrapped"
    looked_at(page, shoot, "sql-formatted")
    field.fill("SELECT sum(range % 7) FROM range(1_000_000_000_000)")
    field.press("Control+Enter")
    expect(card.get_by_role("status").filter(has_text="Running · ")).to_be_visible()
    page.locator(".st-key-files button:visible").first.click()
    expect(page.locator(".st-key-side-panel .st-key-file-head")).to_be_visible()
    expect(card.get_by_role("status")).to_have_text(re.compile(r"Running · ([2-9]|\d\d+) s"))
    settled(page)
    shoot(page, "card-sql-running")
    card.locator("[class*=st-key-stop-run-] button:visible").click()
    expect(card.get_by_role("alert")).to_contain_text("It was stopped.")
    page.locator(".st-key-close-panel button:visible").click()
    field.fill("SELECT nonsense FROM orders")
    field.press("Control+Enter")
    expect(card.get_by_role("alert")).to_contain_text('column "nonsense" not found')
    expect(field).to_have_value("SELECT nonsense FROM orders")
    shoot(page, "card-sql-failed")
    field.fill("SELECT region, max(units) AS most FROM orders GROUP BY 1")
    card.locator("[class*=st-key-run-] button:visible").click()
    cards = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")
    expect(cards).to_have_count(2)
    expect(cards.last).to_contain_text("run by you")
    expect(card.get_by_role("alert")).to_have_count(0)
    page.reload()
    settled(page)
    expect(cards).to_have_count(2)
    face(cards.last, "SQL")
    expect(cards.last.get_by_test_id("editor-text")).to_have_value(
        "SELECT region, max(units) AS most FROM orders GROUP BY 1"
    )


@pytest.mark.long
def test_running_sql_can_be_stopped_even_after_a_reload(page: Page, result: Callable[..., Locator]) -> None:
    card = result(("query", {"sql": "SELECT region, sum(units) AS n FROM orders GROUP BY 1"}))
    face(card, "SQL")
    field = card.get_by_test_id("editor-text")
    field.fill("SELECT sum(range % 7) FROM range(1_000_000_000_000)")
    field.press("Control+Enter")
    running = card.get_by_role("status").filter(has_text="Running")
    expect(running).to_be_visible()
    page.reload()
    settled(page)
    face(card, "SQL")
    expect(running).to_be_visible()
    card.locator("[class*=st-key-stop-run-] button:visible").click()
    expect(running).to_have_count(0)
    settled(page)
    field.fill("SELECT 1 AS one FROM orders LIMIT 1")
    field.press("Control+Enter")
    expect(page.locator("[class*=st-key-exchange-] [class*=st-key-card-]").last).to_contain_text("run by you")


@pytest.mark.long
def test_the_footer_shows_what_the_model_saw_and_opens_the_file(
    page: Page, result: Callable[..., Locator]
) -> None:
    card = result(("query", {"sql": "SELECT * FROM orders", "title": "All orders"}))
    card.locator("[class*=st-key-saw-] button:visible").click()
    expect(page.locator("[data-testid=stPopoverBody]")).to_contain_text("The result as sent to the model")
    page.keyboard.press("Escape")
    card.locator("[class*=st-key-open-] button:visible").click()
    expect(page.locator(".st-key-side-panel .st-key-file-head")).to_contain_text("results/all_orders.parquet")
