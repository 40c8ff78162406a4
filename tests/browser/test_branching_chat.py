"""A chat of ten messages with siblings at three levels: messages and files follow, in two tabs, during a turn."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Gates, Served, serve_apart
from tests.browser.steps import answered, ask, choose_model, open_page, settled, tick_tool

pytestmark = [pytest.mark.browser, pytest.mark.long]
served = serve_apart()


def step(number: int) -> list[dict[str, Any]]:
    """A turn that writes a file and says so."""
    write = {
        "name": "write_file",
        "arguments": {"path": f"{number}.txt", "content": str(number)},
    }
    return [{"calls": [write]}, {"text": f"Answer {number}."}]


def files(page: Page, served: Served) -> list[str]:
    """The files in the chat's workspace, as the app reports them."""
    chat_id = page.url.partition("chat=")[2].partition("&")[0]
    found = page.request.get(served.path(f"v1/chats/{chat_id}/workspace/files")).json()
    return sorted(file["path"] for file in found["files"] if file["path"].endswith(".txt"))


def shown(page: Page) -> list[str]:
    """The questions on the page."""
    return [text.strip() for text in page.locator(".ab-bubble").all_inner_texts()]


def show_all(page: Page) -> None:
    """Show the earlier questions too."""
    page.locator(".st-key-earlier button:visible").click()
    settled(page)


def switch(page: Page, exchange: int, what: str, step: int) -> None:
    """Press the arrow of the question or answer in the nth exchange."""
    box = page.locator("[class*=st-key-exchange-]").nth(exchange)
    row = box.locator("[class*=st-key-asked-]" if what == "question" else "[class*=st-key-actions-]")
    row.locator(f"[class*='st-key-sibling{step}-'] button:visible").click()
    settled(page)


def edit(page: Page, exchange: int, words: str) -> None:
    box = page.locator("[class*=st-key-exchange-]").nth(exchange)
    box.locator("[class*=st-key-edit-] button:visible").first.click()
    page.get_by_role("textbox", name="Your question").fill(words)
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".ab-bubble").last).to_have_text(words)
    answered(page)


def test_messages_and_files_follow_the_chosen_branch_at_three_levels_in_two_tabs_and_during_a_turn(
    page: Page,
    served: Served,
    script: Callable[..., str],
    context: BrowserContext,
    gates: Gates,
    shoot: Callable[[Page, str], None],
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    choose_model(page, script([reply for number in range(1, 6) for reply in step(number)]))
    asked = [f"Question {number}" for number in range(1, 6)]
    for question in asked:
        ask(page, question)
        answered(page)
    assert files(page, served) == ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]
    show_all(page)
    edit(page, 3, "Question 4 in other words")
    assert files(page, served) == ["1.txt", "2.txt", "3.txt", "4.txt"]
    second = page.locator("[class*=st-key-exchange-]").nth(1)
    second.locator("[class*=st-key-retry-] button:visible").click()
    expect(page.locator(".ab-bubble")).to_have_count(2)
    answered(page)
    assert files(page, served) == ["1.txt", "2.txt"]
    edit(page, 0, "Question 1 in other words")
    assert (shown(page), files(page, served)) == (["Question 1 in other words"], ["1.txt"])
    tick_tool(page, "data-analyst", "describe")
    ticked = page.get_by_test_id("toolsets-badge").inner_text()

    other = context.new_page()
    other.goto(page.url)
    expect(other.locator(".ab-bubble")).to_have_text(["Question 1 in other words"])

    switch(page, 0, "question", -1)
    expect(page.locator(".ab-bubble")).to_have_text(asked[:2])
    expect(other.locator(".ab-bubble")).to_have_text(asked[:2])
    assert files(page, served) == ["1.txt", "2.txt"]
    switch(page, 1, "answer", -1)
    expect(page.locator(".ab-bubble")).to_have_text([*asked[:3], "Question 4 in other words"])
    assert files(page, served) == ["1.txt", "2.txt", "3.txt", "4.txt"]
    switch(page, 3, "question", -1)
    expect(page.locator(".ab-bubble")).to_have_text(asked)
    show_all(other)
    expect(other.locator(".ab-bubble")).to_have_text(asked)
    assert files(page, served) == ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]
    expect(page.get_by_test_id("toolsets-badge")).to_have_text(ticked)

    slow = [{"text": "."}] * 10 + [{"text": "word " * 40, "gates": {"9": gates.at("switched")}}]
    choose_model(page, script(slow))
    ask(page, "A slow one")
    expect(page.locator(".st-key-stop")).to_be_visible()
    switch(page, 0, "question", 1)
    expect(page.locator(".ab-bubble")).to_have_text(["Question 1 in other words"])
    shoot(page, "another-branch-while-a-turn-runs")
    assert files(page, served) == ["1.txt"]
    gates.open()
    answered(page)
    expect(page.locator(".ab-bubble")).to_have_text(["Question 1 in other words"])
    switch(page, 0, "question", -1)
    expect(page.locator(".ab-bubble")).to_have_text([*asked, "A slow one"])
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("word word")
    assert files(page, served) == ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]
