"""Export, copying as a report, and the report builder: on the page, and the exported page offline."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, settled

pytestmark = pytest.mark.browser

BY_REGION = "SELECT region, sum(revenue) AS revenue FROM orders GROUP BY ALL ORDER BY revenue DESC"
ANSWER = "West leads with **200**, twice East's 100; nothing says 4,711."


@pytest.fixture
def chat(page: Page, served: Served, script: Callable[..., str], tmp_path: Path) -> Page:
    orders = tmp_path / "orders.csv"
    orders.write_text("region,revenue\nEast,100\nWest,200\n")
    query = {"name": "query", "arguments": {"sql": BY_REGION, "title": "By region"}}
    chart = {
        "name": "chart",
        "arguments": {"table": "by_region", "mark": "bar", "x": "region", "y": "revenue"},
    }
    model = script([{"calls": [query]}, {"calls": [chart]}, {"text": ANSWER}])
    asked_before(page, served, model, "Which region leads?", files=[orders])
    return page


def export(page: Page, label: str) -> Path:
    page.locator(".st-key-export-menu button:visible").first.click()
    settled(page)
    with page.expect_download() as download:
        page.locator("[data-testid=stPopoverBody]").get_by_role("button", name=label, exact=True).click()
    page.keyboard.press("Escape")
    return Path(download.value.path())


def test_an_exported_page_shows_the_same_offline_and_detects_a_change(
    chat: Page, context: BrowserContext, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    page.write_bytes(export(chat, "Page (HTML)").read_bytes())
    assert context.browser is not None
    alone = context.browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    try:
        opened = alone.new_page()
        opened.goto(page.as_uri())
        expect(opened.locator("#check")).to_contain_text("Unchanged since it was exported")
        cells = opened.locator("details", has_text="Data: 2 rows").locator("td")
        assert cells.all_text_contents() == ["West", "200", "East", "100"]
        assert opened.evaluate("document.querySelector('figure img').naturalWidth") > 0
        expect(opened.locator("a.unbacked")).to_have_text("4,711")
        shoot(opened, "exported-page")
        opened.set_viewport_size({"width": 390, "height": 844})
        opened.emulate_media(color_scheme="dark")
        assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        shoot(opened, "exported-page-phone-dark")

        page.write_text(page.read_text().replace('<td class="n">200</td>', '<td class="n">300</td>', 1))
        opened.goto(page.as_uri())
        expect(opened.locator("#alarm")).to_contain_text("Figure 1")
        expect(opened.locator("#check")).to_contain_text("1 of")
        shoot(opened, "exported-page-changed")
    finally:
        alone.close()


@pytest.mark.long
def test_a_report_can_be_built_saved_and_opened_again(chat: Page, shoot: Callable[[Page, str], None]) -> None:
    chat.locator(".st-key-export-menu button:visible").first.click()
    settled(chat)
    expect(chat.get_by_role("button", name="Copy as report")).to_be_visible()
    shoot(chat, "export-menu")
    chat.locator(".st-key-make-a-report button:visible").first.click()
    settled(chat)
    for label in ("Answer", "By region"):
        chat.locator("[class*=st-key-pick-]", has_text=label).first.locator("label").click()
        settled(chat)
    chat.get_by_role("button", name="Add text", exact=True).click()
    settled(chat)
    texts = chat.locator("[class*=st-key-report-text-] textarea")
    expect(texts).to_have_count(2)
    texts.last.fill("West made 200. That is good.")
    chat.locator(".st-key-report-title- input, [class*=st-key-report-title-] input").first.fill(
        "For the board"
    )
    chat.locator("[class*=st-key-report-arrow_upward-] button:visible").last.click()
    settled(chat)
    chat.locator("[class*=st-key-report-delete-] button:visible").first.click()
    expect(texts).to_have_count(1)
    chat.get_by_role("button", name="Undo remove").click()
    expect(texts).to_have_count(2)
    settled(chat)
    shoot(chat, "report-builder")
    chat.locator(".st-key-save-report button:visible").click()
    settled(chat)
    expect(chat.locator(".st-key-report-bar")).to_contain_text("Saved as reports/for-the-board.md")
    chat.locator(".st-key-report-face").get_by_text("Preview").click()
    settled(chat)
    frame = chat.frame_locator("iframe").first
    expect(frame.locator("h1")).to_have_text("For the board")
    expect(frame.locator("section.part").nth(1)).to_contain_text("West made 200. That is good.")
    expect(frame.locator("section.part").nth(2)).to_contain_text("Table 1. By region")
    shoot(chat, "report-preview")
    chat.reload()
    settled(chat)
    chat.locator(".st-key-open-report button:visible").first.click()
    settled(chat)
    chat.get_by_role("button", name="for-the-board.md").click()
    settled(chat)
    written = f"{ANSWER}\n\nWest made 200. That is good."
    expect(chat.locator("[class*=st-key-report-text-] textarea").first).to_have_value(written)
    chat.set_viewport_size({"width": 390, "height": 844})
    chat.emulate_media(color_scheme="dark")
    settled(chat)
    assert chat.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shoot(chat, "report-builder-phone-dark")
