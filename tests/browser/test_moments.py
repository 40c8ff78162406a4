"""Named moments on the page: named in the history, shown on the slider and in the tree, renamed and removed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import asked_before, at_the_terminal, settled

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_moment_can_be_named_in_the_history_and_read_by_sql(
    page: Page,
    served: Served,
    script: Callable[..., str],
    shoot: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text("id,amount\n1,10\n2,20\n2,20\n")
    edit = {"name": "edit_file", "arguments": {"path": "orders.csv", "old": "2,20\n2,20", "new": "2,20"}}
    model = script([{"text": "Three rows."}, {"calls": [edit]}, {"text": "One row less."}])
    asked_before(page, served, model, "How many rows?", "Remove the row that is there twice.", files=[orders])
    chat_id = page.url.partition("chat=")[2].partition("&")[0]
    page.locator(".st-key-history-of-chat button:visible").click()
    bar = page.get_by_test_id("history-slider")
    expect(bar).to_be_visible()
    settled(page)
    past = page.locator(".st-key-past")
    bar.focus()
    where = page.get_by_test_id("history-where")
    page.keyboard.press("ArrowLeft")
    settled(page)
    while not where.inner_text().endswith("TurnFinished"):
        page.keyboard.press("ArrowLeft")
        settled(page)
    expect(past).to_contain_text("Three rows.")
    page.locator(".st-key-name-moment button").first.click()
    page.get_by_label("Name", exact=True).fill("Before cleaning")
    page.locator(".st-key-save-moment-name button").click()
    mark = page.get_by_test_id("history-mark")
    expect(mark).to_have_text("before_cleaning")
    settled(page)
    shoot(page, "moment-named")
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark")
    settled(page)
    shoot(page, "moment-named-small")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    settled(page)
    page.get_by_role("button", name="Back to now").click()
    settled(page)
    expect(page.locator(".st-key-past-band")).to_have_count(0)
    page.locator(".st-key-past-face button", has_text="Branches").click()
    expect(page.locator(".named", has_text="before_cleaning")).to_be_visible()
    told = at_the_terminal(
        served,
        *("tool", "run", "data-analyst:query", "--chat", chat_id),
        *("--args", json.dumps({"sql": "SELECT count(*) FROM before_cleaning.orders"})),
    )
    assert "[[3]]" in told.replace(" ", "").replace("\n", "")
    mark.click()
    expect(page.locator(".st-key-past-band")).to_contain_text("Read only:")
    settled(page)
    page.locator(".st-key-named-before_cleaning button").first.click()
    page.get_by_label("Name", exact=True).last.fill("orders")
    page.locator(".st-key-moment-save-before_cleaning button").click()
    expect(page.locator(".st-key-failure")).to_contain_text("A table in this chat is already called orders")
    expect(mark).to_have_text("before_cleaning")
    settled(page)
    page.get_by_label("Name", exact=True).last.fill("as uploaded")
    page.locator(".st-key-moment-save-before_cleaning button").click()
    expect(mark).to_have_text("as_uploaded")
    settled(page)
    page.locator(".st-key-named-as_uploaded button").first.click()
    page.locator(".st-key-moment-forget-as_uploaded button").click()
    expect(mark).to_have_count(0)
