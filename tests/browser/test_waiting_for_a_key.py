"""A toolset that wants a key that nobody gave yet: it is there, greyed, and says why."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import open_page, settled

pytestmark = pytest.mark.browser


def test_it_is_greyed_with_its_reason_and_counts_for_nothing(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    trigger = page.locator(".st-key-toolsets-popover-trigger button:visible")
    trigger.click()
    tool = page.locator(".st-key-tool-checkbox-image-studio-generate_images-new")
    expect(tool).to_contain_text("API key not configured")
    expect(tool.locator("input")).to_be_disabled()
    expect(tool.locator("input")).not_to_be_checked()
    shoot(page, "waiting-for-a-key")
    page.keyboard.press("Escape")
    page.goto(served.path("toolsets"))
    expect(page.locator(".st-key-toolset-row-image-studio")).to_contain_text("API key not configured")
    settled(page)
    shoot(page, "toolsets-waiting-for-a-key")
