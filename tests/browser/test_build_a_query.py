"""A query is built from its parts in place of the composer, without typing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, open_page, settled
from tests.browser.test_reading_chips import choose, light_and_a_dark_phone

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_query_on_the_sample_data_can_be_built_on_the_start_page_without_typing(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.keyboard.press("Control+b")
    ask = page.get_by_role("button", name="Ask", exact=True)
    expect(page.get_by_text("Choose what to show.").first).to_be_visible()
    expect(ask).to_be_disabled()
    expect(page.get_by_role("group", name="For each")).to_have_count(0)
    shoot(page, "build-a-query-empty")
    choose(page, "Add: Measure", "total revenue", "total revenue")
    settled(page)
    sentence = page.locator(".ab-sentence")
    expect(sentence).to_contain_text("Total revenue")
    choose(page, "Add: Group", "region", "region")
    expect(sentence).to_contain_text("by region")
    settled(page)
    choose(page, "Add: Filter", "channel online", "channel is")
    settled(page)
    expect(page.locator(".ab-sentence")).to_contain_text("Total revenue by region where channel is")
    said = page.locator(".ab-sentence").inner_text().strip("“”")
    page.set_viewport_size({"width": 1440, "height": 940})
    light_and_a_dark_phone(page, shoot, "build-a-query")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".ab-bubble")).to_have_text(said)
    answered(page)
    expect(page.locator("[class*=st-key-card-]").first).to_contain_text("region")
    expect(page.locator("[data-testid=stChatInput] textarea")).to_be_visible()
