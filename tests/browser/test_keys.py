"""Keyboard shortcuts: actions without a button, and the list of all keys."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, asked_before, settled

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_keys_jump_to_the_composer_the_search_the_siblings_and_the_last_question(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    asked_before(page, served, script([{"text": "Said."}]), "One?")
    page.locator(".ab-title").click()
    page.keyboard.press("/")
    field = page.locator("[data-testid=stChatInput] textarea")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("textbox", name="Your question")).to_have_value("One?")
    page.get_by_role("textbox", name="Your question").fill("Two?")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".ab-bubble")).to_have_text("Two?")
    answered(page)
    page.locator(".ab-title").click()
    page.keyboard.press("Alt+ArrowLeft")
    expect(page.locator(".ab-bubble")).to_have_text("One?")
    settled(page)
    page.keyboard.press("Alt+ArrowRight")
    expect(page.locator(".ab-bubble")).to_have_text("Two?")
    page.keyboard.press("Control+k")
    expect(page.locator(".st-key-search input")).to_be_focused()
    page.keyboard.type("?fbh")
    expect(page.get_by_test_id("keys")).to_be_hidden()
    expect(page.locator(".st-key-side-panel")).to_have_count(0)


@pytest.mark.long
def test_a_question_mark_lists_the_keys_and_escape_closes_panels(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    asked_before(page, served, script([{"text": "Said."}]), "One?")
    page.locator(".ab-title").click()
    page.keyboard.press("?")
    expect(page.get_by_test_id("keys")).to_contain_text("Search chats")
    shoot(page, "keys")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("keys")).to_be_hidden()
    page.keyboard.press("f")
    expect(page.locator(".st-key-side-panel")).to_be_visible()
    settled(page)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-side-panel")).to_have_count(0)
    settled(page)
    page.keyboard.press("h")
    expect(page.get_by_test_id("history-slider")).to_be_visible()
