"""A restored backup: the page reports the problem, shows the contents, and continues when the user agrees."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine.app.app import App
from engine.commands.catalog import CreateChat
from tests.browser.conftest import serving

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_restored_backup_is_reported_and_a_click_continues(page: Page, tmp_path: Path) -> None:
    data, environ = (
        tmp_path / "data",
        {"ANABRANCH_CONFIG": str(tmp_path / "config"), "ANABRANCH_KEYRING": "off"},
    )
    for titles in (["Sales in March"], ["Sales in April", "Sales in May"]):
        app = App(data, environ=environ)
        for title in titles:
            app.send(CreateChat(title=title))
        app.close()
        if not (tmp_path / "backup").exists():
            shutil.copytree(data, tmp_path / "backup")
    shutil.rmtree(data)
    shutil.copytree(tmp_path / "backup", data)
    with serving(tmp_path, well=False) as app:
        page.goto(app.url)
        expect(page.get_by_text("Recording has stopped")).to_be_visible(timeout=60_000)
        expect(page.get_by_text("an older copy, or events are lost")).to_be_visible()
        expect(page.get_by_text("recording stopped: read only")).to_be_visible()
        expect(page.get_by_role("button", name="Sales in March", exact=True)).to_be_visible()
        page.get_by_role("button", name="Continue from here").click()
        page.get_by_role("button", name="Accept this state").click()
        expect(page.get_by_text("Recording has stopped")).to_have_count(0, timeout=60_000)
        expect(page.get_by_text("recording stopped: read only")).to_have_count(0)
        page.reload()
        expect(page.get_by_text("Sales in March")).to_be_visible(timeout=60_000)
        expect(page.get_by_text("Recording has stopped")).to_have_count(0)
