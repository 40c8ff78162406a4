"""The list of chats: sorting, and the archive below it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, serve_apart
from tests.browser.steps import answered, ask, at_the_terminal, looked_at, open_page, pick_option, settled

pytestmark = pytest.mark.browser
served = serve_apart()


@pytest.mark.long
def test_chats_can_be_sorted_archived_found_and_restored(
    page: Page, served: Served, shoot: Callable[[Page, str], None]
) -> None:
    ids = {}
    for title in ("Beans", "Zebras", "Apples"):
        told = at_the_terminal(served, "send CreateChat", f"title={title}")
        ids[title] = json.loads(told)
    open_page(page, served)
    chats = page.locator(".st-key-chats [class*=st-key-open-]")
    expect(chats).to_have_text(["Apples", "Zebras", "Beans"])
    pick_option(page, page.locator(".st-key-order-of-chats input"), "By title")
    expect(chats).to_have_text(["Apples", "Beans", "Zebras"])

    page.locator(f"[class*=st-key-menu-{ids['Beans']}] button:visible").click()
    page.get_by_role("button", name="Archive chat").click()
    expect(chats).to_have_text(["Apples", "Zebras"])
    settled(page)
    page.locator(".st-key-archive button:visible").click()
    expect(chats).to_have_text(["Apples", "Zebras", "Beans"])
    looked_at(page, shoot, "archive")
    page.get_by_label("Search chats").fill("bean")
    page.get_by_label("Search chats").press("Enter")
    expect(chats).to_have_text(["Beans"])
    settled(page)
    page.locator(f"[class*=st-key-menu-{ids['Beans']}] button:visible").click()
    page.get_by_role("button", name="Restore from the archive").click()
    page.get_by_label("Search chats").fill("")
    page.get_by_label("Search chats").press("Enter")
    expect(chats).to_have_text(["Apples", "Beans", "Zebras"])
    expect(page.locator(".st-key-archive")).to_have_count(0)


@pytest.mark.long
def test_a_chat_with_only_tool_runs_shows_their_results(
    page: Page, served: Served, shoot: Callable[[Page, str], None], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("region,amount\nEast,41\n")
    sql = json.dumps({"sql": "SELECT region, amount + 1 AS more FROM t", "title": "One more"})
    told = at_the_terminal(
        served, "tool run", "data-analyst:query", "--file", str(tmp_path / "t.csv"), "--args", sql
    )
    open_page(page, served, f"?chat={json.loads(told)['chat_id']}")
    expect(page.get_by_text("You ran 1 tool without a question.")).to_be_visible()
    expect(page.locator("[class*=st-key-own-runs-]")).to_contain_text("One more")
    looked_at(page, shoot, "own-runs")
    ask(page, "How many rows does t have?")
    answered(page)
    chat_id = page.url.partition("chat=")[2]
    again = json.dumps({"sql": "SELECT region FROM t", "title": "After the answer"})
    at_the_terminal(served, "tool run", "data-analyst:query", "--chat", chat_id, "--args", again)
    places = page.locator(".st-key-transcript").locator("[class*=st-key-own-runs-], .ab-bubble")
    expect(places).to_have_count(3)
    expect(places.nth(0)).to_contain_text("One more")
    expect(places.nth(1)).to_have_text("How many rows does t have?")
    expect(places.nth(2)).to_contain_text("After the answer")
