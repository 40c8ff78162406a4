"""Definitions: set in Settings, proposed by a model and approved, named below answers."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, asked_before, looked_at, settled

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_definition_is_added_edited_removed_and_restored(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    page.goto(served.path("settings"))
    group = page.locator(".st-key-definitions")
    expect(group).to_contain_text("Say what a word means for your data")
    settled(page)
    group.get_by_role("button", name="Add definition").click()
    group.get_by_label("Term").fill("churn")
    group.get_by_label("Meaning").fill("left within 30 days")
    group.get_by_role("button", name="Save").click()
    row = group.locator("[class*=st-key-definition-row-]")
    expect(row).to_contain_text("left within 30 days")
    settled(page)
    row.get_by_role("button", name="Edit").click()
    group.get_by_label("Term").fill(" ")
    group.get_by_role("button", name="Save").click()
    expect(group.get_by_role("alert")).to_contain_text("A term must have 1 to 80 characters")
    settled(page)
    group.get_by_label("Term").fill("Churn")
    group.get_by_label("Meaning").fill("left within 60 days")
    group.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("left within 60 days")
    settled(page)
    looked_at(page, shoot, "definitions")
    row.get_by_role("button", name="Forget").click()
    expect(row).to_have_count(0)
    settled(page)
    group.get_by_role("button", name="Undo").click()
    expect(row).to_contain_text("Churn")
    expect(row).to_contain_text("left within 60 days")


@pytest.mark.long
def test_a_models_definition_is_approved_and_named_below_the_answer(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    given = {"term": "revenue", "meaning": "net of returns, without tax"}
    here = {"term": "margin", "meaning": "of the net price", "scope": "chat"}
    asks = [{"calls": [{"name": "remember", "arguments": one}]} for one in (given, here)]
    replies = [*asks, {"text": "The revenue is 5, the margin 2."}]
    asked_before(page, served, script(replies), "Revenue is net of returns. How much?")
    call = page.locator("[class*=st-key-tool-call-message-]")
    expect(call).to_contain_text("revenue = net of returns, without tax")
    expect(page.get_by_text("Always in this chat")).to_have_count(0)
    looked_at(page, shoot, "remember-asks")
    page.get_by_role("button", name="Approve").click()
    expect(call.last).to_contain_text("margin = of the net price")
    settled(page)
    page.get_by_role("button", name="Approve").click()
    answered(page)
    used = page.locator(".ab-definitions")
    expect(used.locator("summary")).to_contain_text(
        "Definitions used: revenue = net of returns, without tax;"
    )
    used.locator("summary").click()
    expect(used).to_contain_text("in all chats, version 1")
    looked_at(page, shoot, "definition-used")
    used.get_by_role("link", name="Edit definitions in Settings").click()
    row = page.locator("[class*=st-key-definition-row-]").filter(has_text="without tax")
    expect(row).to_contain_text("approved by you in Revenue is net of returns")
    expect(page.get_by_role("heading", name="Only in “Revenue is net of returns")).to_be_visible()
    expect(page.locator("[class*=st-key-definition-row-]").filter(has_text="margin")).to_be_visible()
    looked_at(page, shoot, "definitions-of-a-chat")
