"""A chat that outgrew its model's context window, and the depth menu next to the model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine.app.app import open_app
from engine.commands.catalog import Ask, ChangeSetting, CreateChat
from tests.browser.conftest import serving
from tests.browser.steps import settled
from tests.support.providers.replies import Reply
from tests.support.providers.server import fake_provider

pytestmark = pytest.mark.browser

SUMMARY = "You asked about rivers; the longest has 6,650 km."


def answers(body: Any) -> Reply:
    """A long answer to each question, and a summary if one is asked for."""
    asks = "Write a summary of it for yourself" in json.dumps(body)
    return Reply(text=SUMMARY if asks else "A long answer about rivers. " * 120)


def long_chat(folder: Path) -> str:
    """Fill the data folder with a chat of eight questions, of which a summary covers some; return its id."""
    with fake_provider("openai", policy=answers) as server, open_app(folder / "data") as app:
        app.send(ChangeSetting("context_window", {"openai:*": 9_000}))
        chat_id: str = app.send(CreateChat("Rivers", "openai:fake-model", server.base_url))
        for number in range(8):
            app.wait(app.send(Ask(chat_id, f"River {number}?")).turn_id)
    return chat_id


@pytest.mark.long
def test_the_folded_line_shows_the_summary_that_the_model_reads_and_the_depth_is_kept(
    page: Page, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    chat_id = long_chat(tmp_path)
    with serving(tmp_path) as served:
        page.goto(served.path(f"?chat={chat_id}"))
        settled(page)
        fold = page.get_by_text("From here on, the model reads a summary of the").first
        fold.scroll_into_view_if_needed()
        fold.click()
        expect(page.get_by_text(SUMMARY).first).to_be_visible()
        expect(page.get_by_text("No message was deleted").first).to_be_visible()
        shoot(page, "summary-fold")
        thorough = page.get_by_role("radio", name="Thorough")
        expect(page.get_by_role("radio", name="Quick")).to_be_checked()
        thorough.click()
        settled(page)
        page.reload()
        expect(page.get_by_role("radio", name="Thorough")).to_be_checked()
        shoot(page, "depth")
        page.set_viewport_size({"width": 390, "height": 900})
        settled(page)
        shoot(page, "depth-phone")
        assert (
            page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        )
