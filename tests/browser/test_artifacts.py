"""The card of a page that a tool made: its text, its height, and what it shows if its page is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.app.app import open_app
from engine.commands.catalog import Ask, CreateChat, SelectModel, SelectTools, Upload
from tests.browser.steps import settled
from tests.support.hostile_chat import free_port, page_served
from tests.support.talk import call, script

pytestmark = pytest.mark.browser

CHANGES = b"region,change\nEast,-83380\nOnline,37790\n"
REGIONS = ("region,value\n" + "".join(f"Region {n},{n * 7}\n" for n in range(1, 15))).encode()
REPORT = {
    "title": "Third quarter at a glance",
    "summary": "Revenue 1,715,360, down 1.9% on the second quarter.",
    "figures": [
        {"label": region, "result": "changes", "column": "change", "where": {"region": region}}
        for region in ("East", "Online")
    ],
    "bars": {"result": "regions", "labels": "region", "values": "value"},
}


def reported(tmp_path: Path) -> tuple[str, str]:
    """A chat with a shipped report; its id, and the hash of the report's page."""
    with open_app(tmp_path / "data") as app:
        chat: str = app.send(CreateChat("Reports"))
        app.send(SelectTools(chat, {"app-builder": ["report"]}))
        replies = [{"calls": [call("toolset__app-builder__report", **REPORT)]}, {"text": "Here it is."}]
        app.send(SelectModel(chat, script(tmp_path / "replies.json", replies)))
        files = [Upload("changes.csv", CHANGES), Upload("regions.csv", REGIONS)]
        assert app.wait(app.send(Ask(chat, "A report, please", files)).turn_id, 60)
        (made,) = app.chat(chat).calls.values()
        assert isinstance(made.render_plan, dict)
        artifact = made.render_plan["artifact"]
        assert isinstance(artifact, dict)
        return chat, str(artifact["sha256"])


@pytest.mark.long
@pytest.mark.parametrize("way", ["with routes", pytest.param("as a plain script", marks=pytest.mark.long)])
def test_the_card_of_a_report_is_as_tall_as_the_report(
    way: str, tmp_path: Path, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    chat, _ = reported(tmp_path)
    routes = way == "with routes"
    with page_served(tmp_path / "data", free_port(), routes=routes) as url:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(f"{url}/?chat={chat}")
        frame = page.locator("[data-testid=artifact] iframe")
        expect(frame).to_be_visible()
        inner = page.frame_locator("[data-testid=artifact] iframe")
        inner = inner if routes else inner.frame_locator("iframe")
        expect(inner.locator("h1")).to_have_text("Third quarter at a glance")
        expect(page.locator("[data-testid=artifact] .told")).to_have_text("")
        wanted = inner.locator("html").evaluate("e => Math.ceil(e.getBoundingClientRect().height)")
        expect(frame).to_have_css("height", f"{wanted}px")
        assert wanted > 400
        assert page.locator("[class*=st-key-tab-] a:visible").count() == (1 if routes else 0)
        expect(page.locator("[class*=st-key-card-] .ab-foot").last).to_contain_text(
            "no network, no access to this app"
        )
        settled(page)
        shoot(page, f"page-card-{way.rpartition(' ')[2]}")
        if routes:
            page.emulate_media(color_scheme="dark")
            page.set_viewport_size({"width": 390, "height": 844})
            page.locator("[data-testid=artifact]").scroll_into_view_if_needed()
            settled(page)
            shoot(page, "page-card-phone-dark")
        context.close()


@pytest.mark.long
def test_a_page_with_missing_content_says_so_and_shows_the_result(tmp_path: Path, chromium: Browser) -> None:
    chat, sha256 = reported(tmp_path)
    with open_app(tmp_path / "data") as app:
        place = app.workspace.path(chat, sha256)
    place.parent.chmod(0o700)
    place.unlink()
    with page_served(tmp_path / "data", free_port()) as url:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{url}/?chat={chat}")
        expect(page.locator(".ab-failure")).to_contain_text("This page is no longer available.")
        expect(page.locator("[data-testid=stJson]").first).to_contain_text("Third quarter")
        context.close()
