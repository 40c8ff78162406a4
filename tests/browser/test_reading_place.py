"""The scroll position: it stays at the last question, and the app itself never scrolls."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, ask, open_page, settled

pytestmark = pytest.mark.browser

TEAMS = "team,city,points\nReds,Oslo,3\nBlues,Oslo,9\nGreens,Bergen,6\nReds,Bergen,12\n"


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    path = tmp_path / "teams.csv"
    path.write_text(TEAMS)
    return path


@pytest.mark.long
def test_each_new_question_is_scrolled_into_view_and_a_reload_opens_at_the_last_one(
    page: Page, served: Served, teams: Path
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "average points by team", [teams])
    answered(page)
    for question in ("total points by city", "highest points", "how many rows are there?"):
        ask(page, question)
        answered(page)
        expect(page.locator(".ab-bubble").last).to_be_in_viewport(ratio=1)
        expect(page.locator("[class*=st-key-actions-]:visible").last).to_be_in_viewport()
    page.reload()
    expect(page.locator(".ab-bubble").last).to_be_in_viewport(ratio=1)


@pytest.mark.long
def test_switching_a_view_far_down_scrolls_the_transcript_and_not_the_app(
    page: Page, served: Served, teams: Path
) -> None:
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    ask(page, "average points by team", [teams])
    answered(page)
    ask(page, "total points by city")
    answered(page)
    page.locator("[class*=st-key-card-]").last.get_by_role("radio", name="SQL").focus()
    page.keyboard.press("Space")
    settled(page)
    moved = "() => document.querySelector('[data-testid=stAppViewContainer]').scrollTop"
    assert page.evaluate(moved) == 0
    assert page.evaluate("() => document.documentElement.scrollTop") == 0


@pytest.mark.long
def test_on_a_phone_the_transcript_and_the_files_have_the_whole_width(
    page: Page, served: Served, teams: Path
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, served)
    ask(page, "average points by team", [teams])
    answered(page)
    answer = page.locator("[class*=st-key-exchange-]").last.bounding_box()
    assert answer is not None
    assert answer["x"] < 40
    assert answer["width"] > 300
    page.locator(".st-key-files button:visible").click()
    expect(page.locator(".ab-schema")).to_be_visible()
    expect(page.locator(".st-key-composer")).to_be_hidden()
    page.locator(".st-key-close-panel button:visible").click()
    expect(page.locator(".st-key-composer")).to_be_visible()
