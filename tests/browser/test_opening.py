"""The page while the data folder is being opened: it already takes a question."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import ROOT, free_port

pytestmark = pytest.mark.browser

OPENS_LATER = """\
import os, time
from engine.app import opening

begin = opening.begin_opening

def begin_later(opens, loads, **more):
    def waits():
        while not os.path.exists(os.environ["OPEN_NOW"]):
            time.sleep(0.02)
        opens()
    begin(waits, loads, **more)

opening.begin_opening = begin_later
from ui.serving import main
main()
"""
"""The server's program, which opens the data folder only when a file exists."""


@contextmanager
def opening(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the address of a server that is still opening its folder, and a function that lets it go on."""
    port, go = free_port(), folder / "go"
    url = f"http://127.0.0.1:{port}"
    options = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    environ = {
        "ANABRANCH_DATA": str(folder / "data"),
        "ANABRANCH_CONFIG": str(folder / "config"),
        "ANABRANCH_KEYRING": "off",
        "ANABRANCH_ADDRESS": url,
        "OPEN_NOW": str(go),
    }
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", OPENS_LATER, "run", str(ROOT / "ui" / "app.py"), *options],
            cwd=ROOT,
            env=os.environ | environ,
            stdout=log,
            stderr=log,
        )
        try:
            while not answers(url):
                assert server.poll() is None, (folder / "server.log").read_text()
                time.sleep(0.05)
            yield url, go.touch
        finally:
            server.terminate()
            server.wait(60)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def field(page: Page) -> Locator:
    return page.locator("[data-testid=stChatInput] textarea")


def test_a_question_typed_or_sent_while_the_folder_is_opened_is_not_lost(
    chromium: Browser, tmp_path: Path
) -> None:
    with opening(tmp_path) as (url, go):
        typing, sending, elsewhere = (chromium.new_page() for _ in range(3))
        for page, path in ((typing, ""), (sending, ""), (elsewhere, "settings")):
            page.goto(f"{url}/{path}")
            expect(page.get_by_role("status")).to_contain_text("Opening your data folder")
        expect(field(elsewhere)).to_have_count(0)
        field(typing).fill("Which region has")
        field(sending).fill("Top 5 products by revenue")
        field(sending).press("Enter")
        expect(field(sending)).to_have_value("")
        go()
        expect(elsewhere.get_by_text("Review numbers").first).to_be_visible()
        expect(sending.locator(".ab-bubble").first).to_have_text("Top 5 products by revenue")
        expect(typing.get_by_role("button", name="Build a query")).to_be_visible()
        expect(field(typing)).to_have_value("Which region has")
        expect(field(typing)).to_be_focused()
        typing.keyboard.type(" the highest revenue?")
        typing.keyboard.press("Enter")
        expect(typing.locator(".ab-bubble").first).to_have_text("Which region has the highest revenue?")
        for page in (typing, sending, elsewhere):
            page.close()
