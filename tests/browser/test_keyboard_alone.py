"""A visit without a mouse: a question, its calls, another question, an edit, branches, tools, history, a fork."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, open_page, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]

FOCUSED = """(selector) => {
    let here = document.activeElement;
    while (here?.shadowRoot?.activeElement) here = here.shadowRoot.activeElement;
    return Boolean(here?.closest(selector) ?? here?.getRootNode().host?.closest(selector)); }"""


def tab_to(page: Page, selector: str, most: int = 80, key: str = "Tab") -> None:
    """Press Tab until the focus is in an element that `selector` matches."""
    for _ in range(most):
        if page.evaluate(FOCUSED, selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{selector} is not reached by {most} times {key}")


def test_a_whole_visit_is_possible_with_only_the_keyboard(page: Page, served: Served) -> None:
    open_page(page, served)
    tab_to(page, ".st-key-suggestions button")
    page.keyboard.press("Enter")
    expect(page.locator(".ab-bubble")).to_have_count(1)
    answered(page)
    page.evaluate("document.activeElement?.blur()")
    tab_to(page, "[class*=st-key-tool-activity-] summary")
    page.keyboard.press("Enter")
    expect(page.locator("[class*=st-key-tool-call-message-]")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("Top 5 products by revenue")
    page.keyboard.press("Enter")
    expect(page.locator(".ab-bubble")).to_have_count(2)
    answered(page)
    page.keyboard.press("ArrowUp")
    field = page.get_by_role("textbox", name="Your question")
    expect(field).to_be_visible()
    tab_to(page, "textarea[aria-label='Your question']", 20)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Top 3 products by revenue")
    page.keyboard.press("Tab")
    settled(page)
    tab_to(page, "[class*=st-key-again-] button", 10)
    page.keyboard.press("Enter")
    expect(page.locator(".ab-bubble").last).to_have_text("Top 3 products by revenue")
    answered(page)
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("b")
    graph = page.get_by_test_id("branch-graph")
    expect(graph.locator(".row")).to_have_count(6)
    tab_to(page, "[data-testid=branch-graph]")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".ab-bubble")).to_have_count(1)
    settled(page)
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-side-panel")).to_have_count(0)
    settled(page)
    page.keyboard.press("h")
    expect(page.get_by_test_id("history-slider")).to_be_visible()
    settled(page)
    page.keyboard.press("Home")
    expect(page.locator(".st-key-past")).to_contain_text("No questions yet.")
    page.keyboard.press("End")
    expect(page.locator(".st-key-past-band")).to_have_count(0)
    settled(page)
    page.keyboard.press("PageUp")
    expect(page.locator(".st-key-past-band")).to_be_visible()
    settled(page)
    before = page.url
    page.keyboard.press("f")
    expect(page.locator(".ab-title")).to_contain_text("(fork)")
    assert page.url != before
