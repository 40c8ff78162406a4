"""Long chats in Chromium: opening, typing, scrolling, siblings; and the history of one, scrubbed and played.

python -m tests.bench.bench_page_long
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from engine.app.app import open_app
from engine.commands.catalog import EditMessage, SelectLeaf
from tests.bench.bench_page import BARE, FRAME, aimed, beside, late
from tests.bench.harness import Figure, main
from tests.bench.page_chats import LONG, MANY, Chats, prepare
from tests.bench.page_served import bare_page, browser, drawn, served

_KEYS = """() => {
    const seen = window.keys = [], long = window.long = [];
    new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration)))
        .observe({type: "longtask"});
    document.addEventListener("input", (event) => {
        requestAnimationFrame(() => {
            const after = new MessageChannel();
            after.port1.onmessage = () => seen.push(performance.now() - event.timeStamp);
            after.port2.postMessage(0);
        });
    }, true);
}"""

_SCROLL = """async (main) => {
    const frames = [], ends = performance.now() + 3000;
    let before = performance.now(), step = -120;
    while (before < ends) {
        main.scrollTop += step;
        if (main.scrollTop <= 0) step = 120;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        frames.push(now - before);
        before = now;
    }
    return frames;
}"""
"""Scrolls up a step in each frame for three seconds, and says how long the frames took."""

_STEP = """async ([key, shows]) => {
    const where = () => document.querySelector(".st-key-inspector dd")?.textContent;
    const bar = [...document.querySelectorAll("*")].map((one) => one.shadowRoot?.querySelector(".where")).find(Boolean);
    const before = where(), head = bar.textContent, began = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, composed: true}));
    const frame = () => new Promise(requestAnimationFrame);
    while (bar.textContent === head) await frame();
    await frame();
    const moved = performance.now() - began;
    while (where() === before || where() === undefined) await frame();
    await frame();
    return [moved, performance.now() - began];
}"""
"""Presses a key of the bar: milliseconds until its head has moved, and until the moment it leads to is drawn."""

_DRAG = """async () => {
    const inside = [...document.querySelectorAll("*")].map((one) => one.shadowRoot?.querySelector(".track"));
    const track = inside.find(Boolean);
    const bar = track.getRootNode().querySelector(".where"), box = track.getBoundingClientRect(), took = [];
    const fire = (kind, clientX) => track.dispatchEvent(
        new PointerEvent(kind, {clientX, clientY: box.top + 9, pointerId: 1, bubbles: true, composed: true}));
    track.setPointerCapture = () => {};
    fire("pointerdown", box.right - 5);
    for (let n = 1; n <= 90; n++) {
        const began = performance.now();
        fire("pointermove", box.right - 5 - (box.width - 10) * n / 90);
        await new Promise(requestAnimationFrame);
        const after = new MessageChannel();
        await new Promise((done) => { after.port1.onmessage = done; after.port2.postMessage(0); });
        took.push(performance.now() - began);
    }
    fire("pointerup", box.left + 5);
    return took;
}"""
"""Drags the head from the end to the beginning in 90 frames: milliseconds of each move, frame and all."""

_PLAYED = """() => [...document.querySelectorAll("*")].map((one) => one.shadowRoot?.querySelector(".track"))
    .find(Boolean).getAttribute("aria-valuenow")"""


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


def opening(page: Page, url: str, bare: str, chats: Chats) -> list[Figure]:
    """Open the long chat from another one by a click, as many times as the bare page is reloaded."""
    ours, floor, shown, other = [], [], [], page.context.new_page()
    page.goto(f"{url}/?chat={chats.ordinary}")
    drawn(page, ".ab-bubble")
    for _ in range(5):
        floor.append(timed(lambda: (other.goto(bare), drawn(other))))
        ours.append(timed(lambda: _open(page, chats.long)))
        shown.append(timed(lambda: _earlier(page)))
        _open(page, chats.ordinary)
    other.close()
    elements = page.locator("[data-testid=stElementContainer]").count()
    of = f"{BARE} of {elements} elements, loaded"
    return [
        beside(f"open a chat of {LONG:,} messages by a click, until drawn", ours, floor, of, 1_000),
        beside("… show 12 earlier questions", shown, floor, of),
    ]


def _open(page: Page, chat_id: str) -> None:
    page.locator(f".st-key-open-{chat_id} button:visible").click()
    drawn(page, f".st-key-here-{chat_id}")


def _earlier(page: Page) -> None:
    before = page.locator(".ab-bubble").count()
    page.locator(".st-key-earlier button:visible").click()
    page.wait_for_function(f"() => document.querySelectorAll('.ab-bubble').length > {before}", polling="raf")
    drawn(page)


def typing(page: Page, url: str, chat_id: str) -> list[Figure]:
    page.goto(f"{url}/?chat={chat_id}")
    drawn(page, ".ab-bubble")
    page.evaluate(_KEYS)
    page.locator("[data-testid=stChatInput] textarea").click()
    page.keyboard.type("How does body mass differ by island, and is it the same for each species?", delay=40)
    keys, long = page.evaluate("() => [window.keys, window.long]")
    page.locator("[data-testid=stChatInput] textarea").fill("")
    frames = page.locator("[data-testid=stMain]").evaluate(_SCROLL)
    return [
        aimed(f"a key typed in this chat, until drawn ({len(keys)} keys)", keys, 50, frames=True),
        late(keys),
        Figure("… tasks longer than 50 ms meanwhile", len(long), ""),
        aimed("a frame while the chat is scrolled", frames, 1.5 * FRAME, frames=True),
        late(frames),
    ]


def siblings(page: Page, url: str, chat_id: str) -> list[Figure]:
    """Switch back and forth between two versions of the last question."""
    page.goto(f"{url}/?chat={chat_id}")
    drawn(page, ".ab-bubble")

    def switch(step: int) -> None:
        before = page.locator(".ab-bubble").last.inner_text()
        page.locator(f"[class*=st-key-sibling{step}-] button:visible").last.click()
        page.wait_for_function(
            "before => [...document.querySelectorAll('.ab-bubble')].at(-1)?.innerText !== before",
            arg=before,
            polling="raf",
        )
        drawn(page)

    times = [timed(lambda step=step: switch(step)) for _ in range(5) for step in (1, -1)]  # type: ignore[misc]
    return [aimed("switch to another version in this chat, until drawn", times, 1_000)]


def history(page: Page, url: str, chat_id: str) -> list[Figure]:
    opened = []
    for _ in range(5):
        page.goto(f"{url}/?chat={chat_id}")
        drawn(page, ".ab-bubble")
        opened.append(timed(lambda: _history(page)))
    page.wait_for_timeout(500)
    dragged = page.evaluate(_DRAG)
    page.wait_for_timeout(3_000)
    drawn(page, ".st-key-past-band")
    for _ in range(3):
        page.keyboard.press("PageDown")
        drawn(page, ".st-key-past-band")
    steps = [page.evaluate(_STEP, [key, ""]) for key in ["PageDown", "ArrowRight"] * 15]
    heads, moments = [head for head, _ in steps], [moment for _, moment in steps]
    page.get_by_test_id("history-speed").click()
    before = int(page.evaluate(_PLAYED))
    page.get_by_test_id("history-play").click()
    page.wait_for_timeout(6_000)
    pace = (int(page.evaluate(_PLAYED)) - before) / 6.0
    return [
        aimed(f"open the history of a chat of {MANY:,} events by a click, until drawn", opened, 1_000),
        aimed("drag the bar of the history: a move, until drawn", dragged, 2 * FRAME, frames=True),
        late(dragged),
        aimed("step on the bar, until its head has moved", heads, 2 * FRAME, frames=True),
        aimed("… until the moment is drawn", moments, 300),
        late(moments, "… … its 95th percentile"),
        Figure("events played in a second at ×4", pace, "", pace / 10, "the stated pace", "≥ 9", pace >= 9),
    ]


def _history(page: Page) -> None:
    page.locator(".st-key-history-of-chat button:visible").click()
    page.wait_for_function("() => !!document.querySelector('.st-key-inspector dd')", polling="raf")
    drawn(page, ".st-key-inspector")


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        place = Path(name)
        chats = prepare(place)
        with open_app(chats.data) as app:
            view = app.chat(chats.long)
            question = [message for message in view.branch() if message.role == "user"][-1]
            app.wait(app.send(EditMessage(chats.long, question.message_id, "In other words?")).turn_id)
            app.send(SelectLeaf(chats.long, view.leaf or ""))
        with served(chats.data) as server, bare_page(place, 200) as bare:
            page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
            return [
                *opening(page, server.url, bare.url, chats),
                *typing(page, server.url, chats.long),
                *siblings(page, server.url, chats.long),
                *history(page, server.url, chats.many),
            ]


if __name__ == "__main__":
    main(measure)
