"""A running turn belongs to the engine: it streams, survives a reload, shows in every tab, and can be stopped."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from engine.system.data_folder_lock import holder
from tests.browser.conftest import Gates, Served, serving
from tests.browser.steps import answered, ask, choose_model, live_draft, looked_at, open_page, settled

pytestmark = pytest.mark.browser

WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen the end."


def slow(gates: Gates) -> list[dict[str, Any]]:
    """Replies that stop at the gates "look", "told" and "told again"."""
    look = {"name": "list_files", "arguments": {}}
    return [
        {"text": "First a look at the files. ", "gates": {"6": gates.at("look")}, "calls": [look]},
        {"text": WORDS, "gates": {"3": gates.at("told")}},
        {"text": WORDS, "gates": {"3": gates.at("told again")}},
    ]


@pytest.fixture
def begun(page: Page, served: Served, script: Callable[..., str], gates: Gates) -> Page:
    """A chat in which a slow turn has just started."""
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    choose_model(page, script(slow(gates)))
    ask(page, "Tell me slowly")
    expect(live_draft(page)).to_be_visible()
    return page


def test_text_streams_as_commentary_and_then_as_the_answer(
    begun: Page, gates: Gates, shoot: Callable[[Page, str], None]
) -> None:
    expect(live_draft(begun)).to_contain_text("First a look")
    gates.open("look")
    tail = begun.locator("[data-testid=live-tail]")
    expect(tail.locator(".calls .comment")).to_contain_text("First a look at the files.")
    expect(live_draft(begun)).to_contain_text("two three")
    expect(live_draft(begun)).not_to_contain_text("First a look")
    shoot(begun, "running-turn")
    gates.open("told")
    answered(begun)
    exchange = begun.locator("[class*=st-key-exchange-]")
    expect(exchange).to_contain_text("the end.")
    expect(exchange).not_to_contain_text("First a look")


@pytest.mark.long
def test_a_turn_continues_after_a_reload(begun: Page, gates: Gates) -> None:
    gates.open("look")
    expect(live_draft(begun)).to_contain_text("two three")
    begun.reload()
    expect(live_draft(begun)).to_contain_text("one two three")
    gates.open("told")
    answered(begun)
    expect(begun.locator("[class*=st-key-exchange-]")).to_contain_text("the end.")


@pytest.mark.long
def test_every_tab_shows_the_running_turn_and_its_end(begun: Page, gates: Gates) -> None:
    gates.open("look")
    other = begun.context.new_page()
    other.goto(begun.url)
    expect(live_draft(other)).to_contain_text("two three")
    gates.open("told")
    answered(other)
    answered(begun)
    for tab in (begun, other):
        expect(tab.locator("[class*=st-key-exchange-]")).to_contain_text("the end.")


@pytest.mark.long
def test_a_turn_started_in_one_tab_appears_in_another(begun: Page, gates: Gates) -> None:
    gates.open("look", "told")
    answered(begun)
    other = begun.context.new_page()
    other.goto(begun.url)
    expect(other.locator("[class*=st-key-exchange-]")).to_contain_text("the end.")
    settled(other)
    ask(begun, "And again")
    expect(other.locator(".ab-bubble").last).to_have_text("And again")
    expect(live_draft(other)).to_contain_text("one two three")
    gates.open("told again")
    answered(other)


def test_stop_keeps_the_streamed_text_and_the_next_question_works(
    begun: Page, gates: Gates, shoot: Callable[[Page, str], None]
) -> None:
    gates.open("look")
    expect(live_draft(begun)).to_contain_text("two three")
    begun.locator(".st-key-stop button:visible").click()
    answered(begun)
    exchange = begun.locator("[class*=st-key-exchange-]").last
    expect(exchange).to_contain_text("one two three")
    expect(exchange).to_contain_text("Stopped by you")
    expect(exchange).not_to_contain_text("the end.")
    shoot(begun, "stopped")
    gates.open("told again")
    ask(begun, "Go on")
    answered(begun)
    expect(begun.locator("[class*=st-key-exchange-]").last).to_contain_text("the end.")


@pytest.mark.long
def test_a_question_sent_during_a_turn_waits_for_its_end(begun: Page, gates: Gates) -> None:
    field = begun.locator("[data-testid=stChatInput] textarea")
    field.fill("And then?")
    field.press("Enter")
    expect(begun.locator(".st-key-queued")).to_contain_text("And then?")
    begun.reload()
    expect(begun.locator(".st-key-queued")).to_contain_text("And then?")
    expect(begun.locator(".ab-bubble")).to_have_count(1)
    gates.open()
    expect(begun.locator(".ab-bubble")).to_have_count(2)
    answered(begun)
    expect(begun.locator("[class*=st-key-exchange-]")).to_have_count(2)


@pytest.mark.long
def test_queued_questions_can_be_moved_and_edited(
    page: Page, served: Served, script: Callable[..., str], gates: Gates, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    held = {"text": WORDS, "gates": {"3": gates.at("never")}}
    choose_model(page, script([held, {"text": "One."}, {"text": "Two."}]))
    ask(page, "Tell me slowly")
    expect(live_draft(page)).to_be_visible()
    field = page.locator("[data-testid=stChatInput] textarea")
    rows = page.locator("[class*=st-key-queued-row-]")
    for number, text in enumerate(("And returns?", "And by month?"), 1):
        field.fill(text)
        field.press("Enter")
        expect(rows).to_have_count(number)
        settled(page)
    rows.last.get_by_role("button", name="Ask earlier").click()
    expect(rows.first).to_contain_text("Next: And by month?")
    settled(page)
    rows.last.get_by_role("button", name="Edit the question").click()
    words = page.locator("[data-testid=stPopoverBody] textarea")
    words.fill("And returns by region?")
    looked_at(page, shoot, "questions-wait")
    page.locator("[data-testid=stPopoverBody]").get_by_role("button", name="Save").click()
    expect(rows.last).to_contain_text("Number 2: And returns by region?")
    looked_at(page, shoot, "questions-wait-in-order")
    page.locator(".st-key-stop button:visible").click()
    expect(page.locator(".ab-bubble")).to_have_text(
        ["Tell me slowly", "And by month?", "And returns by region?"]
    )
    answered(page)


@pytest.mark.long
def test_withdrawing_a_queued_question_gives_its_text_back(begun: Page, gates: Gates) -> None:
    field = begun.locator("[data-testid=stChatInput] textarea")
    field.fill("And then?")
    field.press("Enter")
    begun.locator(".st-key-unqueue button:visible").click()
    expect(begun.locator(".st-key-queued")).to_have_count(0)
    expect(begun.locator(".st-key-refused")).to_contain_text("You withdrew it.")
    expect(begun.locator(".st-key-refused")).to_contain_text("And then?")
    gates.open()
    answered(begun)
    expect(begun.locator(".ab-bubble")).to_have_count(1)
    begun.locator(".st-key-discard button:visible").click()
    expect(begun.locator(".st-key-refused")).to_have_count(0)


@pytest.mark.long
def test_a_question_queued_when_the_app_is_killed_stays_queued_and_is_asked_on_a_click(
    page: Page, tmp_path: Path, script: Callable[..., str], gates: Gates, shoot: Callable[[Page, str], None]
) -> None:
    with serving(tmp_path) as app:
        open_page(page, app)
        choose_model(page, script(slow(gates)))
        ask(page, "Tell me slowly")
        expect(live_draft(page)).to_be_visible()
        field = page.locator("[data-testid=stChatInput] textarea")
        field.fill("And then?")
        field.press("Enter")
        expect(page.locator(".st-key-queued")).to_contain_text("And then?")
        expect(page.locator(".st-key-ask-queued")).to_have_count(0)
        chat, server = urlsplit(page.url).query, holder(app.data)
        assert server is not None
        page.goto("about:blank")  # or its lost connection would be an error in the console
        os.kill(server.pid, signal.SIGKILL)
    gates.open()
    with serving(tmp_path) as app:
        open_page(page, app, f"?{chat}")
        expect(page.locator(".st-key-queued")).to_contain_text("And then?")
        expect(page.locator("[class*=st-key-exchange-]")).to_contain_text("Interrupted")
        shoot(page, "queued-after-kill")
        page.locator(".st-key-history-of-chat button:visible").click()
        expect(page.locator(".st-key-past")).to_contain_text("Not asked yet: And then?")
        page.locator(".st-key-open-the-chat button:visible").click()
        page.locator(".st-key-ask-queued button:visible").click()
        answered(page)
        expect(page.locator(".ab-bubble")).to_have_text(["Tell me slowly", "And then?"])
        expect(page.locator(".st-key-queued")).to_have_count(0)


@pytest.mark.long
def test_a_providers_error_is_reported_with_a_message_and_can_be_retried(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    problem = "Nothing is listening at 127.0.0.1:11434. Start it, or pick another model and retry."
    choose_model(page, script([{"error": problem}]))
    ask(page, "Are you there?")
    answered(page)
    expect(page.locator("[role=alert]")).to_contain_text("Nothing is listening")
    shoot(page, "provider-error")
    choose_model(page, script([{"text": "Here I am."}]))
    page.locator("[class*=st-key-retry-] button:visible").last.click()
    answered(page)
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("Here I am.")
