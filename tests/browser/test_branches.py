"""Edited questions and new answers appear next to the old ones, and the chat can switch between them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, ask, asked_before, choose_model, open_page, settled

pytestmark = pytest.mark.browser


def test_an_edited_question_and_a_retried_answer_are_siblings_to_switch_among(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    choose_model(page, script([{"text": "First said."}]))
    ask(page, "One?")
    answered(page)
    page.locator("[class*=st-key-edit-] button:visible").click()
    page.get_by_role("textbox", name="Your question").fill("Two?")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".ab-bubble")).to_have_text("Two?")
    answered(page)
    asked = page.locator("[class*=st-key-asked-]")
    expect(asked).to_contain_text("2 / 2")
    page.locator("[class*=st-key-retry-] button:visible").click()
    answered(page)
    expect(page.locator("[class*=st-key-actions-]")).to_contain_text("2 / 2")
    shoot(page, "siblings")
    asked.locator("[class*=st-key-sibling-1-] button:visible").click()
    expect(page.locator(".ab-bubble")).to_have_text("One?")
    expect(page.locator("[class*=st-key-exchange-]")).to_contain_text("First said.")
    page.reload()
    expect(page.locator(".ab-bubble")).to_have_text("One?")


@pytest.mark.long
def test_the_page_stays_at_a_question_while_its_versions_are_switched(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    long = [{"text": "\n\n".join(f"Line {line} of an answer." for line in range(40))}]
    asked_before(page, served, script(long * 4), "One?", "Two?", "Three?")
    first = page.locator("[class*=st-key-exchange-]").first
    first.locator("[class*=st-key-edit-] button:visible").click()
    page.get_by_role("textbox", name="Your question").fill("Another one?")
    page.get_by_role("button", name="Ask again").click()
    answered(page)
    for step, words in ((-1, "One?"), (1, "Another one?"), (-1, "One?")):
        first.locator(f"[class*=st-key-sibling{step}-] button:visible").click()
        expect(page.locator(".ab-bubble").first).to_have_text(words)
        settled(page)
        expect(page.locator(".ab-bubble").first).to_be_in_viewport(ratio=1)
