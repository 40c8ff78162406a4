"""Hostile pages in a real Chromium: whatever they try, they reach neither the app nor anything outside.

One page contains all probes (`tests/support/hostile_pages/attack.html`). A probe fails the test by its result, by what
the listeners receive, by what the browser looks up, or by a change in the app.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect

from engine.app.app import open_app
from tests.browser.conftest import FLAGS
from tests.browser.steps import ask
from tests.browser.test_demo import demo_served
from tests.support.chromium import find_chromium
from tests.support.hostile_chat import PAGES, free_port, hostile_chat, page_served
from tests.support.outside import Outside, outside

pytestmark = pytest.mark.browser

NAME = "marker.example"
"""Whatever the browser looks up or asks of this domain, it was made to by a hostile page."""
LEAST_PROBES = 100


def given(there: Outside, port: int) -> dict[str, Any]:
    """The arguments of the page, including data that would end its script."""
    evil = "</script><script>window.ended='yes'</script><!--<script>"
    app = f"http://127.0.0.1:{port}"
    return {**there.addresses, "app": app, "name": NAME, "chat": "any", evil: [evil, "\u2028", "]]>"]}


@contextmanager
def watched(chromium: Browser, log: Path) -> Iterator[Browser]:
    """A browser of the same kind that logs all its network activity."""
    flags = [*FLAGS, f"--log-net-log={log}", "--net-log-capture-mode=Everything"]
    browser = chromium.browser_type.launch(executable_path=find_chromium(), args=flags)
    yield browser
    browser.close()


def names_in(log: Path) -> set[str]:
    """The names in the test domain that the browser looked up or contacted."""
    return set(re.findall(rf"[a-z.-]*{re.escape(NAME)}", log.read_text(errors="replace")))


def attacked(page: Page) -> Frame:
    """The frame in which the hostile page has tried everything."""
    for _ in range(150):
        for frame in page.frames:
            if "artifacts/" in frame.url or frame.url.startswith("about:srcdoc"):
                try:
                    if frame.evaluate("!!window.done"):
                        return frame
                except Exception:  # a frame that one of its own probes took away
                    continue
        page.wait_for_timeout(200)
    raise AssertionError(f"the hostile page did not come to its end: {[frame.url for frame in page.frames]}")


def succeeded(frame: Frame) -> dict[str, str]:
    """The probes that got something they must not get."""
    results: dict[str, str] = frame.evaluate("window.done")
    assert len(results) >= LEAST_PROBES
    return {name: got for name, got in results.items() if got}


def shown(context: BrowserContext, url: str, chat: str) -> Page:
    """The chat's page, with a script that listens for messages from hostile pages to the app's origin."""
    page = context.new_page()
    page.on("dialog", lambda dialog: page.evaluate("document.title = 'dialog'") or dialog.dismiss())
    page.goto(f"{url}/?chat={chat}")
    # A function with a body of its own: Playwright calls what an expression evaluates to, if that is a function.
    page.evaluate(
        """() => {
            window.hearing = new BroadcastChannel("anabranch");
            window.hearing.onmessage = () => { document.title = "broadcast"; };
        }"""
    )
    expect(page).to_have_title("Anabranch")
    expect(page.locator("[data-testid=artifact] iframe").first).to_be_visible()
    return page


def untouched(page: Page, address: str) -> None:
    """Check that the app's page is still open and unchanged."""
    assert page.url == address
    assert page.title() == "Anabranch"
    assert page.evaluate("document.cookie.includes('taken')") is False
    assert page.evaluate("[localStorage.taken, sessionStorage.taken].join('')") == ""
    assert page.evaluate("indexedDB.databases().then(d => d.filter(x => x.name === 'taken').length)") == 0
    assert page.evaluate("caches.keys().then(k => k.includes('taken'))") is False
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then(r => r.length)") == 0
    assert page.evaluate("navigator.clipboard.readText()") == "before"
    assert page.evaluate("document.fullscreenElement") is None
    expect(page.locator("[data-testid=stApp]")).to_have_attribute("data-test-script-state", "notRunning")


def heard_of(there: Outside, routes: bool) -> list[str]:
    """The forbidden connections and messages that arrived from outside.

    In frames without a header's policy (no routes) Chromium opens a connection before it refuses to leave by it, and
    asks no policy about datagrams: docs/security.md names both.
    """
    heard = there.taken()
    return heard if routes else [w for w in heard if w != "connection" and not w.startswith("datagram")]


def height_of(page: Page) -> float:
    return float(page.locator("[data-testid=artifact] iframe").first.evaluate("f => f.offsetHeight"))


@pytest.mark.parametrize(
    "routes",
    [
        pytest.param(True, id="with routes"),
        pytest.param(False, id="as a plain script", marks=pytest.mark.long),
    ],
)
def test_no_probe_of_a_hostile_page_succeeds(routes: bool, chromium: Browser, tmp_path: Path) -> None:
    port = free_port()
    with outside() as there:
        data = tmp_path / "data"
        written = {"written.html": (PAGES / "attack.html").read_text()}
        tried = given(there, port) | {"inner": not routes}
        calls: list[tuple[str, Any]] = [("page", {"data": tried, "title": "Attack"})]
        chat = hostile_chat(data, [*calls, ("written", {"write": written, "data": tried})])
        with (
            page_served(data, port, routes=routes) as url,
            watched(chromium, tmp_path / "net.json") as browser,
        ):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
            opened: list[str] = []
            downloads: list[str] = []
            page = shown(context, url, chat)
            page.evaluate("navigator.clipboard.writeText('before')")
            context.on("page", lambda other: opened.append(other.url))
            page.on("download", lambda download: downloads.append(download.url))
            address = page.url
            frame = attacked(page)
            assert succeeded(frame) == {}
            assert heard_of(there, routes) == []
            assert 40 <= height_of(page) <= 4000
            page.bring_to_front()
            untouched(page, address)
            frame.evaluate("leave()")
            page.wait_for_timeout(800)
            assert heard_of(there, routes) == []
            untouched(page, address)
            assert opened == []
            assert downloads == []
            context.close()
        names = names_in(tmp_path / "net.json")
        assert (names if routes else names - {f"leave.{NAME}"}) == set()
    with open_app(data) as app:
        assert [row["title"] for row in app.chats()] == ["Hostile"]


@pytest.mark.long
def test_in_a_demo_no_probe_of_a_restored_page_succeeds(chromium: Browser, tmp_path: Path) -> None:
    """With the less strict policy of a demo's page; it shows a visitor's own file, in nested frames."""
    temporary, brought = tmp_path / "tmp", tmp_path / "attack.html"
    temporary.mkdir()
    with (
        outside() as there,
        demo_served(temporary) as demo,
        watched(chromium, tmp_path / "net.json") as browser,
    ):
        data = given(there, int(demo.url.rpartition(":")[2])) | {"inner": True}
        text = (PAGES / "attack.html").read_text()
        brought.write_text(text.replace("window.__TOOL_DATA__", json.dumps(data).replace("<", r"\u003c"), 1))
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=demo.url)
        page = context.new_page()
        page.goto(demo.url)
        expect(page.locator(".st-key-composer textarea")).to_be_visible()
        ask(page, "/preview attack.html", [brought])
        page.evaluate("navigator.clipboard.writeText('before')")
        opened: list[str] = []
        context.on("page", lambda other: opened.append(other.url))
        frame = attacked(page)
        address = page.url
        assert succeeded(frame) == {}
        assert heard_of(there, routes=False) == []
        untouched(page, address)
        frame.evaluate("leave()")
        page.wait_for_timeout(800)
        assert heard_of(there, routes=False) == []
        untouched(page, address)
        assert opened == []
        context.close()
    assert names_in(tmp_path / "net.json") - {f"leave.{NAME}"} == set()


@pytest.mark.long
def test_a_hostile_page_in_a_separate_tab_is_confined_in_the_same_way(
    chromium: Browser, tmp_path: Path
) -> None:
    port = free_port()
    with outside() as there:
        data = tmp_path / "data"
        chat = hostile_chat(data, [("page", {"data": given(there, port), "title": "Attack"})])
        with page_served(data, port) as url, watched(chromium, tmp_path / "net.json") as browser:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = shown(context, url, chat)
            with context.expect_page() as waiting:
                page.locator("[class*=st-key-tab-] a:visible").first.click()
            tab = waiting.value
            # There it may leave by itself, as far as the browser lets it: nowhere.
            tab.wait_for_url("chrome-error://**")
            page.wait_for_timeout(1500)
            assert there.taken() == []
            context.close()
        assert names_in(tmp_path / "net.json") == set()


@pytest.mark.long
def test_with_network_access_a_page_reaches_https_but_neither_the_app_nor_this_machine(
    chromium: Browser,
    tmp_path: Path,
) -> None:
    port = free_port()
    with outside() as there:
        data = tmp_path / "data"
        calls = [("page", {"data": given(there, port), "title": "Attack"})]
        chat = hostile_chat(data, calls, network=True)
        with page_served(data, port) as url, watched(chromium, tmp_path / "net.json") as browser:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = shown(context, url, chat)
            expect(page.locator(".ab-foot").first).to_contain_text("may reach https addresses")
            assert succeeded(attacked(page)) == {}
            assert there.taken() == []
            context.close()
        assert f"fetch.{NAME}" in names_in(tmp_path / "net.json")


@pytest.mark.long
@pytest.mark.parametrize("routes", [True, False], ids=["with routes", "as a plain script"])
def test_a_page_that_never_ends_or_floods_the_app_with_messages_does_not_block_the_app(
    routes: bool, tmp_path: Path, chromium: Browser
) -> None:
    port = free_port()
    chat = hostile_chat(tmp_path / "data", [("endless", {}), ("flood", {})])
    with page_served(tmp_path / "data", port, routes=routes) as url:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        page = shown(context, url, chat)
        expect(page.locator("[data-testid=artifact] .told").last).to_contain_text("it sent too many messages")
        field = page.locator("[data-testid=stChatInput] textarea")
        field.fill("still here")
        expect(field).to_have_value("still here")
        page.locator("[class*=st-key-tool-activity-] summary").first.click()
        expect(page.locator("[class*=st-key-tool-call-message-]").last).to_be_visible()
        context.close()


@pytest.mark.long
def test_a_framed_page_loads_only_after_a_click_and_stays_in_its_frame(
    tmp_path: Path, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    port = free_port()
    with outside() as there:
        chat = hostile_chat(
            tmp_path / "data",
            [
                ("address", {"url": f"{there.url}/dashboard", "title": "Dashboard"}),
                ("address", {"url": f"http://127.0.0.1:{port}/", "title": "The app itself"}),
            ],
        )
        with page_served(tmp_path / "data", port) as url:
            context = chromium.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            page.goto(f"{url}/?chat={chat}")
            load = page.locator("[data-testid=artifact-load]")
            expect(load).to_have_text(f"Load the page at localhost:{there.port}")
            expect(page.locator(".ab-failure")).to_contain_text("the address of this app itself")
            assert there.taken() == []
            shoot(page, "framed-address")
            load.click()
            inner = page.frame_locator("[data-testid=artifact] iframe").frame_locator("iframe")
            expect(inner.locator("p")).to_have_text("This is outside.")
            assert "dashboard" in there.taken()
            framed = next(frame for frame in page.frames if there.url in frame.url)
            reached = framed.evaluate(
                "() => { try { return top.document.title } catch { return window.open('/x') ? 'popup' : 'held' } }"
            )
            assert reached == "held"
            framed.evaluate("() => { try { top.location = '/taken' } catch {} }")
            framed.evaluate(f"() => {{ location.href = '{url}/' }}")
            page.wait_for_timeout(400)
            assert page.url.startswith(f"{url}/?chat=")
            assert [frame.url for frame in page.frames if frame.url == f"{url}/"] == []
            context.close()
