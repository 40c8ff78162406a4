"""A user's actions on the page, as functions; each returns once the page has settled."""

import io
import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from playwright.sync_api import Error, Locator, Page, expect

from engine.cli.main import run
from engine.system.data_folder_lock import holder
from tests.browser.conftest import Served

__all__ = [
    "answered",
    "ask",
    "asked_before",
    "at_the_terminal",
    "choose_model",
    "live_draft",
    "look_at_everything",
    "looked_at",
    "open_page",
    "open_picker",
    "paused",
    "pick_option",
    "settled",
    "tick_tool",
    "tool_line",
    "unfold",
]


_QUIET = """() => new Promise((done) => {
    const began = performance.now();
    const look = () => {
        const runs = window.scriptRuns;
        const over = !runs || (runs.asked < runs.begun && runs.begun <= runs.ended);
        const rests = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
        const loads = document.querySelector("[data-testid=stSkeleton]") && performance.now() - began < 10_000;
        if (rests && over && !loads) setTimeout(done);
        else if (performance.now() - began > 180_000) done(JSON.stringify(runs));
        else setTimeout(look, 20);
    };
    look();
})"""
"""Resolves when every run that the page asked for has begun, the last one has ended, and the scripts of the kinds of
fields on the page, which Streamlit loads with the first of each kind, are there: a moment later, because React lets
what is drawn take keys only after it is shown. With text if that takes too long."""


def settled(page: Page) -> None:
    """Wait until no script runs for this tab, and none will for the last action."""
    for _ in range(3):
        expect(page.locator("[data-testid=stApp]")).to_have_attribute("data-test-script-state", "notRunning")
        with suppress(Error):  # the page went elsewhere meanwhile
            unfinished = page.evaluate(_QUIET)
            assert not unfinished, f"a script runs on and on: {unfinished}"
            return
    raise AssertionError("the page does not come to rest")


def open_page(page: Page, served: Served, query: str = "") -> None:
    """Open the page and wait until it is drawn."""
    page.goto(served.path(query))
    expect(page.locator(".st-key-composer textarea")).to_be_visible()
    settled(page)


def choose_model(page: Page, model: str) -> None:
    """Type another model into the model menu."""
    page.locator(".st-key-model-menu button:visible").click()
    field = page.locator("[data-testid=stPopoverBody] input")
    expect(field).to_be_visible()
    settled(page)
    field.fill(model)
    field.press("Enter")
    settled(page)
    page.keyboard.press("Escape")
    expect(page.locator("[data-testid=stPopoverBody]")).to_have_count(0)
    expect(page.locator(".st-key-model-menu button:visible")).to_contain_text("Script")


def ask(page: Page, question: str, files: Sequence[Path] = ()) -> None:
    """Type a question, with files, and send it."""
    if files:
        _attach(page, files)
    field = page.locator("[data-testid=stChatInput] textarea")
    field.fill(question)
    expect(page.locator("[data-testid=stChatInputSubmitButton]")).to_be_enabled()
    field.press("Enter")
    expect(page.locator(".ab-bubble").last).to_have_text(question)


def at_the_terminal(served: Served, command: str, *words: str) -> str:
    """Run a command in the terminal while the app runs, and return its JSON output; it may wait for the user."""
    path, more = command.split(), [*words, "--json", "--data", str(served.data)]
    said = io.StringIO()
    config = {"ANABRANCH_CONFIG": str(served.data.parent / "config")}
    with patch.dict(os.environ, config), redirect_stdout(said):
        code = run([*path, *more])
    assert code in (0, 3), said.getvalue()
    return said.getvalue()


def asked_before(page: Page, served: Served, model: str, *questions: str, files: Sequence[Path] = ()) -> None:
    """Open a chat in which these questions, the first with files, were asked on the command line and answered.

    For tests that start with a chat. How a chat gets onto the page is tested with the first answer.
    """
    chat_id = ""
    for question in questions:
        more = ["--chat", chat_id] if chat_id else [word for file in files for word in ("--file", str(file))]
        told = at_the_terminal(served, "ask", question, *more, "--model", model)
        chat_id = json.loads(told)["chat_id"]
    open_page(page, served, f"?chat={chat_id}")
    expect(page.locator(".ab-bubble").last).to_have_text(questions[-1])
    settled(page)


@contextmanager
def paused(served: Served) -> Iterator[None]:
    """Pause the server for a while; requests of the page wait."""
    server = holder(served.data)
    assert server is not None
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


def _attach(page: Page, files: Sequence[Path]) -> None:
    """Drop files into the composer; repeat if the page was being redrawn, as a user would."""
    chips = page.locator("[data-testid=stFileChip]")
    settled(page)
    for _ in range(3):
        page.locator("[data-testid=stChatInput] input[type=file]").set_input_files(
            [str(file) for file in files]
        )
        with suppress(AssertionError):
            expect(chips).to_have_count(len(files), timeout=5_000)
            break
    expect(chips).to_have_count(len(files))


def pick_option(page: Page, field: Locator, name: str = "", *, exact: bool = False, at: int = 0) -> None:
    """Open a list and choose the option of this name; if several options contain it, the one at position `at` (from 0).

    Streamlit's lists close when anything around them scrolls: then it is opened again, as a person would.
    """
    option = page.get_by_role("option", name=name, exact=exact).nth(at)
    field.evaluate("one => one.scrollIntoView({ block: 'center' })")
    for _ in range(5):
        if field.get_attribute("aria-expanded") != "true":
            field.click()
        with suppress(Error):
            option.click(timeout=5_000)
            settled(page)
            return
    raise AssertionError(f"the list does not stay open for {name!r}")


def live_draft(page: Page) -> Locator:
    """The running turn's text."""
    return page.locator("[data-testid=live-tail]:not([hidden]) .draft")


def tool_line(page: Page) -> Locator:
    """The last answer's tool line."""
    return page.locator("[class*=st-key-tool-activity-] summary").last


def answered(page: Page) -> None:
    """Wait until no turn runs and the answer is in the transcript."""
    expect(page.locator(".st-key-stop")).to_have_count(0)
    expect(page.locator("[data-testid=live-tail]")).to_be_hidden()
    settled(page)


def open_picker(page: Page) -> Locator:
    """Open the chat's tool picker and return the popover."""
    settled(page)
    page.locator("[data-testid=toolsets-popover-trigger]").click()
    content = page.locator("[data-testid=toolsets-popover-content]")
    expect(content).to_be_visible()
    return content


def unfold(page: Page, toolset: str) -> None:
    """Unfold a toolset in the open picker."""
    chevron = page.locator(f"[data-testid='toolset-expand-{toolset}']")
    if chevron.get_attribute("aria-expanded") == "false":
        chevron.click()
    expect(chevron).to_have_attribute("aria-expanded", "true")


def tick_tool(page: Page, toolset: str, tool: str) -> None:
    """Open the picker, select or unselect one tool, and close it."""
    content = open_picker(page)
    unfold(page, toolset)
    content.locator(f"[data-testid='tool-checkbox-{toolset}-{tool}']").click()
    page.keyboard.press("Escape")
    expect(content).to_be_hidden()
    settled(page)


def look_at_everything(page: Page, address: str) -> None:
    """Open a chat with many cards, unfold its calls, hover over charts; then open its files, history and toolsets."""
    page.goto(address)
    expect(page.locator("[class*=st-key-tool-activity-] summary").first).to_be_visible()
    _rested(page)
    page.locator("[class*=st-key-tool-activity-] summary").first.click()
    expect(page.locator("[class*=st-key-tool-call-message-]").last).to_be_visible()
    _rested(page)
    page.locator("[data-testid=carousel]").first.wait_for(state="attached")
    for chart in page.locator("[data-testid=stVegaLiteChart]:visible").all():
        chart.hover()
    page.locator(".st-key-files button:visible").click()
    _rested(page)
    page.locator(".st-key-history-of-chat button:visible").click()
    expect(page.locator(".st-key-inspector")).to_be_visible()
    _rested(page)
    page.goto(address.partition("?")[0] + "toolsets")
    expect(page.locator(".st-key-toolsets")).to_be_visible()
    _rested(page)


def _rested(page: Page) -> None:
    """Wait until no script runs, and long enough for the browser to send any request that it should not send."""
    settled(page)
    page.wait_for_timeout(600)


def looked_at(page: Page, shoot: Callable[[Page, str], None], name: str) -> None:
    """Take screenshots in wide and phone size, light and dark; nothing may be wider than a phone."""
    for width, scheme in ((1440, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 1000})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        settled(page)
        shoot(page, f"{name}-{scheme}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    settled(page)
