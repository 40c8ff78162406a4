"""A running turn belongs to the engine: it streams, survives a reload, shows in every tab, and stops at will."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from engine.system.data_folder_lock import holder
from tests.browser.conftest import Served, serving
from tests.browser.steps import answered, ask, choose_model, live_draft, open_page, settled

pytestmark = pytest.mark.browser

WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen the end."
SLOW = [
    {
        "text": "First a look at the files. ",
        "seconds_per_word": 0.1,
        "calls": [{"name": "list_files", "arguments": {}}],
    },
    {"text": WORDS, "seconds_per_word": 0.25},
    {"text": WORDS, "seconds_per_word": 0.25},
]


@pytest.fixture
def begun(page: Page, served: Served, script: Callable[..., str]) -> Page:
    """A chat in which a slow turn has just begun."""
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    choose_model(page, script(SLOW))
    ask(page, "Tell me slowly")
    expect(live_draft(page)).to_be_visible()
    return page


def test_text_streams_and_becomes_commentary_and_then_the_answer(
    begun: Page, shoot: Callable[[Page, str], None]
) -> None:
    expect(live_draft(begun)).to_contain_text("First a look")
    tail = begun.locator("[data-testid=live-tail]")
    expect(tail.locator(".calls .comment")).to_contain_text("First a look at the files.")
    expect(live_draft(begun)).to_contain_text("two three")
    expect(live_draft(begun)).not_to_contain_text("First a look")
    shoot(begun, "running-turn")
    answered(begun)
    exchange = begun.locator("[class*=st-key-exchange-]")
    expect(exchange).to_contain_text("the end.")
    expect(exchange).not_to_contain_text("First a look")


def test_a_reload_in_mid_turn_goes_on(begun: Page) -> None:
    expect(live_draft(begun)).to_contain_text("two")
    begun.reload()
    expect(live_draft(begun)).to_contain_text("one two")
    answered(begun)
    expect(begun.locator("[class*=st-key-exchange-]")).to_contain_text("the end.")


@pytest.mark.long
def test_every_tab_shows_the_running_turn_and_its_end(begun: Page) -> None:
    other = begun.context.new_page()
    other.goto(begun.url)
    expect(live_draft(other)).to_contain_text("two")
    answered(other)
    answered(begun)
    for tab in (begun, other):
        expect(tab.locator("[class*=st-key-exchange-]")).to_contain_text("the end.")


def test_a_turn_begun_in_one_tab_appears_in_another(begun: Page) -> None:
    answered(begun)
    other = begun.context.new_page()
    other.goto(begun.url)
    expect(other.locator("[class*=st-key-exchange-]")).to_contain_text("the end.")
    settled(other)
    ask(begun, "And again")
    expect(other.locator(".ab-bubble").last).to_have_text("And again")
    expect(live_draft(other)).to_contain_text("one")


def test_stop_keeps_what_was_streamed_and_the_next_question_works(
    begun: Page, shoot: Callable[[Page, str], None]
) -> None:
    expect(live_draft(begun)).to_contain_text("two three")
    begun.locator(".st-key-stop button:visible").click()
    answered(begun)
    exchange = begun.locator("[class*=st-key-exchange-]").last
    expect(exchange).to_contain_text("one two three")
    expect(exchange).to_contain_text("Stopped by you")
    expect(exchange).not_to_contain_text("the end.")
    shoot(begun, "stopped")
    ask(begun, "Go on")
    answered(begun)
    expect(begun.locator("[class*=st-key-exchange-]").last).to_contain_text("the end.")


def test_a_question_sent_while_a_turn_runs_waits_for_its_end(begun: Page) -> None:
    field = begun.locator("[data-testid=stChatInput] textarea")
    field.fill("And then?")
    field.press("Enter")
    expect(begun.locator(".st-key-queued")).to_contain_text("And then?")
    begun.reload()
    expect(begun.locator(".st-key-queued")).to_contain_text("And then?")
    expect(begun.locator(".ab-bubble")).to_have_count(1)
    expect(begun.locator(".ab-bubble")).to_have_count(2)
    answered(begun)
    expect(begun.locator("[class*=st-key-exchange-]")).to_have_count(2)


@pytest.mark.long
def test_a_question_that_waits_is_taken_back_with_its_words(begun: Page) -> None:
    field = begun.locator("[data-testid=stChatInput] textarea")
    field.fill("And then?")
    field.press("Enter")
    begun.locator(".st-key-unqueue button:visible").click()
    expect(begun.locator(".st-key-queued")).to_have_count(0)
    expect(begun.locator(".st-key-refused")).to_contain_text("You took it back.")
    expect(begun.locator(".st-key-refused")).to_contain_text("And then?")
    answered(begun)
    expect(begun.locator(".ab-bubble")).to_have_count(1)
    begun.locator(".st-key-discard button:visible").click()
    expect(begun.locator(".st-key-refused")).to_have_count(0)


@pytest.mark.long
def test_a_question_that_waited_when_the_app_was_killed_is_there_and_asked_on_a_click(
    page: Page, tmp_path: Path, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    with serving(tmp_path) as app:
        open_page(page, app)
        choose_model(page, script(SLOW))
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


def test_a_provider_s_error_is_told_in_words_and_retried(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    problem = "Nothing listens at 127.0.0.1:11434. Start it, or pick another model and retry."
    choose_model(page, script([{"error": problem}]))
    ask(page, "Are you there?")
    answered(page)
    expect(page.locator("[role=alert]")).to_contain_text("Nothing listens")
    shoot(page, "provider-error")
    choose_model(page, script([{"text": "Here I am."}]))
    page.locator("[class*=st-key-retry-] button:visible").last.click()
    answered(page)
    expect(page.locator("[class*=st-key-exchange-]").last).to_contain_text("Here I am.")
