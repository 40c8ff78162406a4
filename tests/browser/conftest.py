"""Fixtures of the browser tests: a real server on loopback and a real Chromium."""

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
    const RERUN_SCRIPT = 11, NEW_SESSION = 4, SCRIPT_FINISHED = 6, EARLY_FOR_RERUN = 2, IS_AUTO_RERUN = 6;
    const runs = window.scriptRuns = { asked: 0, begun: 0, ended: 0 };
    const heard = new WeakSet();

    function fields(bytes) { // of a protobuf message: whole numbers, and the bytes of messages
        const found = new Map();
        let at = 0;
        const varint = () => {
            let value = 0, factor = 1, byte;
            do { byte = bytes[at++]; value += (byte & 127) * factor; factor *= 128; } while (byte & 128);
            return value;
        };
        while (at < bytes.length) {
            const tag = varint(), number = Math.floor(tag / 8), wire = tag % 8;
            if (wire === 0) found.set(number, varint());
            else {
                const length = wire === 2 ? varint() : wire === 1 ? 8 : 4;
                found.set(number, bytes.subarray(at, at + length));
                at += length;
            }
        }
        return found;
    }

    function hear(message) {
        const told = fields(new Uint8Array(message.data)), now = performance.now();
        if (told.has(NEW_SESSION)) runs.begun = now;
        if (told.has(SCRIPT_FINISHED) && told.get(SCRIPT_FINISHED) !== EARLY_FOR_RERUN) runs.ended = now;
    }

    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...data) {
        if (this.url.includes("_stcore/stream")) {
            if (!heard.has(this)) this.addEventListener("message", hear);
            heard.add(this);
            const rerun = fields(new Uint8Array(data[0])).get(RERUN_SCRIPT);
            if (rerun && !fields(rerun).get(IS_AUTO_RERUN)) runs.asked = performance.now();
        }
        return send.apply(this, data);
    };
})()"""
"""Notes when the page asked its server for a run of its script, and when the server began one and ended it. What a
timer asks for is left out: the server begins no run, and says nothing, if that part of the page is gone by then."""
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
    """Give browser tests more time than others, since a browser is slow if two cores are shared."""
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(300))


@contextmanager
def serving(
    folder: Path, *, well: bool = True, program: Sequence[str] = PROGRAM, **environ: str
) -> Iterator[Served]:
    """Serve the app on the data folder below `folder`, and end it by its process id; no page may have failed.

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


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app for all tests of the run; a test finds the chats of earlier tests, as a real user would."""
    with serving(tmp_path_factory.mktemp("app")) as app:
        yield app


def serve_apart() -> Any:
    """Return a fixture `served` for a module whose tests need a separate app."""

    def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
        with serving(tmp_path_factory.mktemp("app")) as app:
            yield app

    return pytest.fixture(scope="module")(served)


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
    """The only instance of Playwright that a process can have."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """A browser for the whole run, for tests with separate profiles."""
    browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def profile(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser with a profile on disk, so it compiles Streamlit's scripts only once and not for each test."""
    opened = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=find_chromium(),
        args=FLAGS,
        viewport={"width": 1280, "height": 900},
        accept_downloads=True,
        permissions=["clipboard-read", "clipboard-write"],
    )
    opened.set_default_timeout(60_000)
    opened.add_init_script(WATCH_RUNS)
    yield opened
    opened.close()


@pytest.fixture
def context(profile: BrowserContext) -> Iterator[BrowserContext]:
    """The profile, without anything from the previous test."""
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
    """A tab; any error in its console fails the test."""
    opened = context.new_page()
    errors: list[str] = []
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    assert [e for e in errors if not _known(e)] == []


def _known(error: str) -> bool:
    """Whether an error comes from Streamlit's inline script, which the policy blocks, or from its probes."""
    return "inline script" in error or "404" in error


@pytest.fixture
def script(tmp_path: Path) -> Callable[[list[dict[str, Any]]], str]:
    """Write a script of replies; returns the model's name."""

    def write(replies: list[dict[str, Any]]) -> str:
        path = tmp_path / "replies.json"
        path.write_text(json.dumps(replies))
        return f"scripted:{path}"

    return write


class Gates:
    """Points at which a script's text waits until the test has looked: see `engine/models/scripted.py`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._named = folder, set[str]()

    def at(self, name: str) -> str:
        """The file that a script uses as a gate."""
        self._named.add(name)
        return str(self._folder / f"{name}.gate")

    def open(self, *names: str) -> None:
        """Let the text continue at these gates; without names, at every gate."""
        for name in names or self._named:
            Path(self.at(name)).touch()


@pytest.fixture
def gates(tmp_path: Path) -> Iterator[Gates]:
    """Gates that are all opened at the end, because the app is used by the next test."""
    made = Gates(tmp_path)
    yield made
    made.open()


@pytest.fixture
def shoot(pytestconfig: pytest.Config) -> Callable[[Page, str], None]:
    """Save a screenshot if the run has `--pictures`; screenshots are not compared with anything."""

    def take(page: Page, name: str) -> None:
        if not pytestconfig.getoption("pictures"):
            return
        SCREENSHOTS.mkdir(exist_ok=True)
        page.evaluate(STILL)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return take
