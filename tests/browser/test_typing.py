"""Typed text and the cursor stay while the page reruns."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser.conftest import Served, serve_apart
from tests.browser.steps import ask, asked_before, live_draft, settled, tool_line
from tests.browser.test_confirming import ASKS
from tests.browser.test_models_answers import asks

pytestmark = pytest.mark.browser
served = serve_apart()

TEXT = "The quick brown fox"
Script = Callable[[list[dict[str, Any]]], str]


@pytest.fixture
def redraw(page: Page) -> Callable[[], None]:
    """Send a change over the chat's WebSocket, so that the page reruns."""
    sockets = list[WebSocketRoute]()

    def route(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/v1/chats/*/ws", route)
    return lambda: sockets[-1].send(json.dumps({"type": "changed"}))


def typed(page: Page, field: Locator, redraw: Callable[[], None], text: str = TEXT) -> None:
    """Type key by key into a field, with reruns in between."""
    field.click()
    for number, letter in enumerate(text):
        page.keyboard.press(letter)
        if number % 3 == 0:
            redraw()
        if number % 6 == 0:
            settled(page)


@pytest.mark.long
def test_letters_and_enter_stay_in_the_fields_of_a_chat(
    page: Page, served: Served, script: Script, redraw: Callable[[], None]
) -> None:
    asked_before(page, served, script([{"text": "Said."}, asks("One?"), {"text": "So be it."}]), "What?")
    composer = page.locator("[data-testid=stChatInput] textarea")
    typed(page, composer, redraw)
    expect(composer).to_have_value(TEXT)
    page.locator("[class*=st-key-edit-] button:visible").last.click()
    words = page.locator("[data-testid=stPopoverBody] textarea")
    words.fill("")
    typed(page, words, redraw)
    expect(words).to_have_value(TEXT)
    page.keyboard.press("Escape")
    page.locator("[class*=st-key-row-] [class*=st-key-menu-] button").first.click()
    title = page.locator("[data-testid=stPopoverBody] input")
    title.fill("")
    typed(page, title, redraw)
    expect(title).to_have_value(TEXT)
    page.keyboard.press("Enter")
    expect(page.locator(".ab-title")).to_contain_text(TEXT)
    expect(composer).to_have_value(TEXT)
    composer.press("Enter")
    expect(page.locator(".ab-asked")).to_have_text("One?")
    answer = page.locator("[class*=st-key-answer-text-] input")
    typed(page, answer, redraw)
    expect(answer).to_have_value(TEXT)
    page.keyboard.press("Enter")
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("So be it.")
    tool_line(page).click()
    expect(page.locator("[class*=st-key-tool-call-message-]")).to_contain_text(f"You answered: {TEXT}")


@pytest.mark.long
def test_letters_stay_in_the_arguments_of_a_waiting_call(
    page: Page, served: Served, script: Script, redraw: Callable[[], None]
) -> None:
    asked_before(page, served, script(ASKS), "Export the East numbers")
    page.locator("[class*=st-key-edit-args-] label:visible").click()
    field = page.locator("[class*=st-key-edited-] textarea")
    field.fill("")
    typed(page, field, redraw)
    expect(field).to_have_value(TEXT)


@pytest.mark.long
def test_letters_stay_in_the_composer_while_turns_start_and_end(
    page: Page, served: Served, script: Script, redraw: Callable[[], None]
) -> None:
    slow = {"text": "one two three four five six seven eight", "seconds_per_word": 0.2}
    asked_before(page, served, script([{"text": "Said."}, slow, {"text": "So be it."}]), "What?")
    ask(page, "Slowly")
    composer = page.locator("[data-testid=stChatInput] textarea")
    text, draft = "", live_draft(page)
    expect(draft).to_be_visible()
    composer.click()
    while draft.is_visible():
        page.keyboard.press("x")
        text += "x"
    page.keyboard.press("y")
    settled(page)
    expect(composer).to_have_value(text + "y")
    page.keyboard.press("Enter")
    expect(page.locator(".ab-bubble").last).to_have_text(text + "y")
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("So be it.")


@pytest.mark.long
def test_an_answer_can_be_typed_as_soon_as_its_question_is_visible(
    page: Page, served: Served, script: Script
) -> None:
    replies = [asks("One?"), asks("Two?"), asks("Three?"), {"text": "So be it."}]
    asked_before(page, served, script(replies), "What?")
    page.get_by_role("button", name="Gross").click()
    calls = page.locator("[class*=st-key-tool-call-message-]")
    for question in ("Two?", "Three?"):
        field = calls.filter(has_text=question).locator("input")
        field.click()
        page.keyboard.type(f"For {question}", delay=20)
        page.keyboard.press("Enter")
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("So be it.")
    tool_line(page).click()
    for said in ("Gross", "For Two?", "For Three?"):
        expect(page.get_by_text(f"You answered: {said}", exact=True)).to_be_visible()
