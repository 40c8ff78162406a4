"""A toolset is upgraded on the page while a chat uses it: changes are shown, old results stay (BND-1)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served
from tests.browser.steps import answered, ask, choose_model, open_page, open_picker, settled, unfold
from tests.browser.test_toolsets import look_into
from tests.support.talk import KIT, write_bundle

pytestmark = [pytest.mark.browser, pytest.mark.long]

SHOWN = "    renderer: {type: html, artifact: page.html, data: $return}\n"
OLD = KIT | {
    "toolset.yaml": KIT["toolset.yaml"].replace("    effects: read\n", "    effects: read\n" + SHOWN),
    "artifacts/page.html": "<p>drawn by version one</p>",
}
NEW = OLD | {
    "toolset.yaml": OLD["toolset.yaml"]
    .replace('"1.0.0"', '"2.0.0"')
    .replace("- id: add\n", "- id: append\n"),
    "artifacts/page.html": "<p>drawn by version two</p>",
}


def test_an_upgrade_shows_its_changes_keeps_old_answers_and_selects_no_new_tools(
    page: Page, served: Served, tmp_path: Path, script: Callable[..., str], shoot: Callable[[Page, str], None]
) -> None:
    dialog = page.locator("[data-testid=stDialog] [role=dialog]")
    look_into(page, served, write_bundle(tmp_path / "old", OLD))
    dialog.locator(".st-key-install button").click()
    expect(page.locator(".st-key-toolset-row-kit")).to_contain_text("1.0.0")
    open_page(page, served)
    page.locator(".st-key-new-chat button:visible").click()
    settled(page)
    looked = {"calls": [{"name": "toolset__kit__look", "arguments": {}}]}
    choose_model(page, script([looked, {"text": "Once."}, looked, {"text": "Twice."}]))
    ask(page, "look")
    answered(page)
    chat = page.url.partition("/?")[2]
    pages = page.locator("[class*=st-key-exchange-] [class*=st-key-card-]")
    frames = pages.locator("iframe")
    expect(frames.first.content_frame.get_by_text("drawn by version one")).to_be_visible()

    look_into(page, served, write_bundle(tmp_path / "new", NEW))
    expect(dialog).to_contain_text("Upgrade to Kit 2.0.0?")
    expect(dialog.locator("tr", has_text="append")).to_contain_text("+")
    expect(dialog.locator("tr", has_text="removed")).to_contain_text("add")
    expect(dialog.locator("tr", has_text="removed")).to_contain_text("−")
    shoot(page, "upgrade-sheet")
    page.emulate_media(color_scheme="dark")
    shoot(page, "upgrade-sheet-dark")
    page.set_viewport_size({"width": 390, "height": 800})
    shoot(page, "upgrade-sheet-phone-dark")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    dialog.locator(".st-key-install button").click()
    expect(page.locator(".st-key-toolset-row-kit")).to_contain_text("2.0.0")

    open_page(page, served, f"?{chat}")
    expect(frames.first.content_frame.get_by_text("drawn by version one")).to_be_visible()
    ask(page, "look again")
    answered(page)
    expect(frames.nth(1).content_frame.get_by_text("drawn by version two")).to_be_visible()
    expect(frames.first.content_frame.get_by_text("drawn by version one")).to_be_visible()
    content = open_picker(page)
    unfold(page, "kit")
    new = content.get_by_test_id("tool-row-kit-append")
    expect(new).to_contain_text("new")
    expect(content.get_by_test_id("tool-checkbox-kit-append")).not_to_be_checked()
    gone = content.get_by_test_id("tool-row-kit-add")
    expect(gone).to_contain_text("No longer in this toolset")
    new.scroll_into_view_if_needed()
    shoot(page, "upgrade-picker")
    page.emulate_media(color_scheme="dark")
    shoot(page, "upgrade-picker-dark")
