"""The composer: a pasted table becomes a file, and Enter waits for an upload."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, looked_at, open_page, settled

pytestmark = pytest.mark.browser

PASTE = """(text) => {
    const field = document.querySelector(".st-key-composer textarea"), given = new DataTransfer();
    given.setData("text/plain", text);
    field.focus();
    return field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true }));
}"""


@pytest.mark.long
def test_a_pasted_spreadsheet_table_becomes_a_file_and_is_asked_about(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    assert page.evaluate(PASTE, "one line\twith a tab") is True, "text is pasted as it is"
    assert page.evaluate(PASTE, "region\trevenue\r\nEast\t41\r\nWest\t1\r\n") is False
    expect(page.locator("[data-testid=stFileChip]")).to_contain_text("pasted.tsv")
    expect(page.get_by_test_id("composing")).to_contain_text("(3 lines) was added as pasted.tsv")
    looked_at(page, shoot, "pasted-table")
    field = page.locator("[data-testid=stChatInput] textarea")
    field.fill("total revenue")
    expect(page.locator("[data-testid=stChatInputSubmitButton]")).to_be_enabled()
    field.press("Enter")
    answered(page)
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("42")


@pytest.mark.long
def test_enter_during_an_upload_sends_once_the_file_is_there(
    page: Page, served: Served, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/upload_file/**", hold)
    open_page(page, served)
    (tmp_path / "orders.csv").write_text("region,revenue\nEast,41\nWest,1\n")
    page.locator("[data-testid=stChatInput] input[type=file]").set_input_files(tmp_path / "orders.csv")
    field = page.locator("[data-testid=stChatInput] textarea")
    field.fill("total revenue")
    settled(page)
    field.press("Enter")
    expect(page.get_by_test_id("composing")).to_have_text("Sent when the upload is done. Esc cancels.")
    expect(page.locator(".ab-bubble")).to_have_count(0)
    field.press("Escape")
    expect(page.get_by_test_id("composing")).to_be_hidden()
    field.press("Enter")
    shoot(page, "enter-waits")
    held[0].continue_()
    expect(page.locator(".ab-bubble")).to_have_text("total revenue")
    answered(page)
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("42")
