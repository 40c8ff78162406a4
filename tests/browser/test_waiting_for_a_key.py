"""A toolset without its required key is listed, disabled, and says why."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import open_page, open_picker, settled, unfold

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_toolset_without_its_key_is_disabled_with_the_reason_and_is_not_counted(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    content = open_picker(page)
    unfold(page, "image-studio")
    expect(content.get_by_test_id("toolset-row-image-studio")).to_contain_text("API key not configured")
    tool = content.get_by_test_id("tool-checkbox-image-studio-generate_images")
    expect(tool).to_be_disabled()
    expect(tool).not_to_be_checked()
    shoot(page, "waiting-for-a-key")
    page.keyboard.press("Escape")
    page.goto(served.path("toolsets"))
    expect(page.locator(".st-key-toolset-row-image-studio")).to_contain_text("API key not configured")
    settled(page)
    shoot(page, "toolsets-waiting-for-a-key")
