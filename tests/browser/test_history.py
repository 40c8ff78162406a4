"""The history of a chat: scrub, play, inspect, rewind, fork; read-only, and the same after a reload and in a link."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, ask, asked_before, paused, settled

pytestmark = pytest.mark.browser


def begin(page: Page, served: Served, model: str, *questions: str) -> None:
    """A chat with these questions, answered by a script."""
    asked_before(page, served, model, *questions)


def open_history(page: Page) -> Locator:
    page.locator(".st-key-history-of-chat button:visible").click()
    bar = page.get_by_test_id("history-slider")
    expect(bar).to_be_visible()
    settled(page)
    return bar


def face(page: Page, name: str) -> None:
    page.locator(".st-key-past-face button", has_text=name).click()
    settled(page)


def test_the_slider_goes_to_any_event_and_the_page_shows_that_moment_read_only(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    begin(page, served, script([{"text": "First said."}, {"text": "Then said."}]), "One?", "Two?")
    bar = open_history(page)
    past = page.locator(".st-key-past")
    expect(past).to_contain_text("Then said.")
    expect(page.locator(".st-key-past-band")).to_have_count(0)
    bar.focus()
    page.keyboard.press("Home")
    expect(page.locator(".st-key-past-band")).to_contain_text("Read only:")
    expect(past).to_contain_text("No questions yet.")
    expect(page.get_by_test_id("history-where")).to_contain_text("event 1 of")
    page.keyboard.press("End")
    expect(page.locator(".st-key-past-band")).to_have_count(0)
    for _ in range(3):  # before the turn's end, its answer, and what asked for it
        page.keyboard.press("ArrowLeft")
    expect(past).to_contain_text("Two?")
    expect(past).not_to_contain_text("Then said.")
    expect(past).not_to_contain_text("First said.")
    page.locator(".st-key-past-earlier button:visible").click()
    expect(past).to_contain_text("First said.")
    shoot(page, "history")
    assert past.locator("[class*=st-key-retry-], [class*=st-key-edit-], [class*=st-key-fork-]").count() == 0
    expect(page.locator("[data-testid=stChatInput]")).to_have_count(0)
    at, where = page.url, page.get_by_test_id("history-where").inner_text()
    page.reload()
    expect(page.get_by_test_id("history-where")).to_have_text(where)
    page.goto(at.replace("/history?", "/?"))
    expect(page.get_by_test_id("history-where")).to_have_text(where)
    page.locator(".st-key-back-to-now button:visible").click()
    expect(page.locator(".st-key-past")).to_contain_text("Then said.")


@pytest.mark.long
def test_dragging_and_playing_move_through_the_events(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    begin(page, served, script([{"text": "Said."}]), "One?")
    bar = open_history(page)
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 1, box["y"] + 20, steps=8)
    page.mouse.up()
    expect(page.get_by_test_id("history-where")).to_contain_text("event 1 of")
    expect(page.locator(".st-key-past")).to_contain_text("No questions yet.")
    page.get_by_test_id("history-speed").click()
    page.get_by_test_id("history-play").click()
    expect(page.locator(".st-key-past")).to_contain_text("Said.")
    expect(page.locator(".st-key-past-band")).to_have_count(0)
    expect(page.get_by_test_id("history-play")).to_have_attribute("aria-label", "Play")


@pytest.mark.long
def test_playback_does_not_slow_down_while_a_moment_is_still_being_drawn(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    begin(page, served, script([{"text": "Said."}]), "One?")
    bar = open_history(page)
    bar.focus()
    page.keyboard.press("Home")
    expect(page.locator(".st-key-past")).to_contain_text("No questions yet.")
    page.get_by_test_id("history-speed").click()
    with paused(served):  # so that no moment is drawn
        page.get_by_test_id("history-play").click()
        expect(bar).to_have_attribute("aria-valuenow", bar.get_attribute("aria-valuemax") or "")
        expect(page.locator(".st-key-past")).to_contain_text("No questions yet.")
    expect(page.locator(".st-key-past")).to_contain_text("Said.")
    expect(page.locator(".st-key-past-band")).to_have_count(0)


@pytest.mark.long
def test_the_history_shows_the_events_branches_files_and_tools_of_the_selected_moment(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    writes = {"calls": [{"name": "write_file", "arguments": {"path": "made.txt", "content": "x"}}]}
    begin(page, served, script([writes, {"text": "Made."}, {"text": "More."}]), "Make it", "More?")
    bar = open_history(page)
    rows = page.get_by_test_id("event-list").locator(".row")
    expect(rows.filter(has_text="TurnFinished").last).to_have_attribute("aria-selected", "true")
    rows.filter(has_text="TurnStarted").last.click()
    inspector = page.locator(".st-key-inspector")
    expect(inspector).to_contain_text("TurnStarted")
    expect(inspector).to_contain_text("chain intact")
    face(page, "Branches")
    graph = page.get_by_test_id("branch-graph")
    expect(graph.locator(".row.here")).to_contain_text("as it was")
    expect(graph.locator(".row.later")).to_have_count(1)
    graph.locator(".row", has_text="Made.").click()
    expect(page.locator(".st-key-past")).to_contain_text("Made.")
    shoot(page, "history-branches")
    face(page, "Files")
    expect(page.locator(".ab-then")).to_contain_text("made.txt")
    bar.focus()
    page.keyboard.press("Home")
    expect(page.locator(".ab-then")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    face(page, "Tools")
    expect(page.locator(".ab-facts-list")).to_contain_text("Data analyst")


def test_rewinding_restores_chat_and_files_and_can_be_undone(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    begin(page, served, script([{"text": "First said."}, {"text": "Then said."}]), "One?", "Two?")
    bar = open_history(page)
    face(page, "Branches")
    page.get_by_test_id("branch-graph").locator(".row", has_text="First said.").click()
    expect(page.locator(".st-key-past")).to_contain_text("First said.")
    page.locator(".st-key-rewind button:visible").click()
    shoot(page, "rewind")
    page.locator(".st-key-rewind-both button:visible").click()
    expect(page.locator(".st-key-rewound")).to_contain_text("The chat and its files are back at")
    transcript = page.locator(".st-key-transcript")
    expect(transcript).to_contain_text("First said.")
    expect(transcript).not_to_contain_text("Then said.")
    page.locator(".st-key-undo-rewind button:visible").click()
    expect(transcript).to_contain_text("Then said.")
    expect(page.locator(".st-key-rewound")).to_have_count(0)
    expect(bar).to_have_count(0)


@pytest.mark.long
def test_a_fork_from_a_moment_is_a_new_chat_with_the_contents_of_that_moment(
    page: Page, served: Served, script: Callable[..., str]
) -> None:
    begin(page, served, script([{"text": "First said."}, {"text": "Then said."}]), "One?", "Two?")
    before = page.url
    first = page.locator("[class*=st-key-exchange-]").first
    first.locator("[class*=st-key-stand-] button:visible").click()
    expect(page.locator(".st-key-past-band")).to_be_visible()
    page.locator(".st-key-fork-here button:visible").click()
    expect(page.locator(".st-key-transcript")).to_contain_text("First said.")
    expect(page.locator(".st-key-transcript")).not_to_contain_text("Then said.")
    expect(page.locator(".ab-title")).to_contain_text("(fork)")
    expect(page.locator(".st-key-transcript")).not_to_contain_text("Interrupted")
    assert page.url != before


@pytest.mark.long
def test_the_branches_panel_goes_to_the_clicked_message(
    page: Page, served: Served, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    begin(page, served, script([{"text": "First said."}, {"text": "Then said."}]), "One?", "Two?")
    page.locator(".ab-title").click()
    page.keyboard.press("b")
    graph = page.get_by_test_id("branch-graph")
    expect(graph.locator(".row")).to_have_count(4)
    graph.locator(".row", has_text="First said.").click()
    expect(page.locator(".st-key-transcript")).not_to_contain_text("Then said.")
    expect(graph.locator(".row.here")).to_contain_text("First said.")
    ask(page, "Three?")
    answered(page)
    expect(graph.locator(".row")).to_have_count(6)
    shoot(page, "branches-panel")
    page.locator(".st-key-panel-head button", has_text="Moments").click()
    expect(page.locator("[class*=st-key-moment-] .ab-moment")).to_have_count(2)
