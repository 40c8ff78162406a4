"""A real server on loopback and a real Chromium: what the page's stories are told with."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.support.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROGRAM = (sys.executable, "-c", "from engine.cli.main import main; main()")
STILL = """() => Promise.race([
    Promise.all(document.getAnimations()
        .filter((one) => one.effect.getTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => {}))),
    new Promise((done) => setTimeout(done, 1500))])"""
"""Resolves when nothing moves any more but what never ends, or is held by the page for longer than a picture waits."""
WATCH_RUNS = """(() => {
    if (window !== window.top) return;
    const runs = window.scriptRuns = { asked: 0, begun: 0 };
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...data) {
        if (this.url.includes("_stcore/stream")) runs.asked = performance.now();
        return send.apply(this, data);
    };
    new MutationObserver((changes) => {
        const first = !runs.begun; // it may have begun before its state was there to be seen
        if (first || changes.some((change) => change.oldValue === "notRunning")) runs.begun = performance.now();
    }).observe(document, { subtree: true, attributeOldValue: true, attributeFilter: ["data-test-script-state"] });
})()"""
"""Notes when the page asked its server for a run of its script, and when one began: see `settled`."""
SCREENSHOTS = ROOT / "screenshots"

expect.set_options(timeout=60_000)


@dataclass(frozen=True)
class Served:
    """A running app."""

    url: str
    data: Path

    def path(self, query: str = "") -> str:
        return f"{self.url}/{query}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A story has more time than other tests: a browser is slow where two cores are shared."""
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(300))


@contextmanager
def serving(
    folder: Path, *, well: bool = True, program: Sequence[str] = PROGRAM, **environ: str
) -> Iterator[Served]:
    """The app on the data folder below `folder`, ended by its own process id; no page of it may have failed.

    It is waited for until its log takes events, or not, as `well` says. `program` is the command line to run.
    """
    data, port = folder / "data", free_port()
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [*program, "serve", "--data", str(data), "--port", str(port)],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "ANABRANCH_CONFIG": str(folder / "config"),
                "ANABRANCH_KEYRING": "off",
                **environ,
            },
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _until_healthy(url, server, well)
            yield Served(url, data)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=600)
    told = (folder / "server.log").read_text()
    assert "The page failed." not in told, f"what nobody foresaw was told on the page:\n{told[-4000:]}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app, for all tests of a module."""
    with serving(tmp_path_factory.mktemp("app")) as app:
        yield app


def _until_healthy(url: str, server: "subprocess.Popen[bytes]", well: bool) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server ended before it was healthy"
        try:
            with urllib.request.urlopen(f"{url}/v1/health", timeout=60) as answer:
                if json.load(answer)["ok"] == well:
                    return
        except OSError:
            Event().wait(0.1)
    raise AssertionError("the server did not become healthy within four minutes")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """There can be one in a process."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """A browser for the whole run, for tests with profiles of their own."""
    browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def profile(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser with a profile on disk: it compiles Streamlit's scripts once, and not again for each test."""
    opened = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=find_chromium(),
        args=FLAGS,
        viewport={"width": 1280, "height": 900},
        accept_downloads=True,
        permissions=["clipboard-read", "clipboard-write"],
    )
    opened.set_default_timeout(20_000)
    opened.add_init_script(WATCH_RUNS)
    yield opened
    opened.close()


@pytest.fixture
def context(profile: BrowserContext) -> Iterator[BrowserContext]:
    """The profile, with nothing in it of the test before."""
    (blank,) = profile.pages
    yield profile
    origins = {urlsplit(page.url)._replace(path="", query="", fragment="").geturl() for page in profile.pages}
    for page in profile.pages:
        if page is not blank:
            page.close()
    profile.clear_cookies()
    session = profile.new_cdp_session(blank)
    for origin in origins - {"about:", ""}:
        session.send(
            "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage,indexeddb"}
        )
    session.detach()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab, of which every error in the console fails the test."""
    opened = context.new_page()
    errors: list[str] = []
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    assert [e for e in errors if not _known(e)] == []


def _known(error: str) -> bool:
    """Streamlit's own inline line, which the policy refuses without harm, and its probes below a page's address."""
    return "inline script" in error or "404" in error


@pytest.fixture
def script(tmp_path: Path) -> Callable[[list[dict[str, Any]]], str]:
    """Write a script of replies; returns the model's name."""

    def write(replies: list[dict[str, Any]]) -> str:
        path = tmp_path / "replies.json"
        path.write_text(json.dumps(replies))
        return f"scripted:{path}"

    return write


@pytest.fixture
def shoot() -> Callable[[Page, str], None]:
    """Leave a screenshot to look at."""

    def take(page: Page, name: str) -> None:
        SCREENSHOTS.mkdir(exist_ok=True)
        page.evaluate(STILL)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return take
