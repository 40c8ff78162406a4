"""The page in Chromium: the time from a cold start to its first frame, and from a token to its pixels.

python -m tests.bench.bench_page
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.bench.harness import Figure, main
from tests.bench.page_chats import EXCHANGES, Chats, prepare
from tests.bench.page_served import bare_page, browser, drawn, served
from tests.support.providers.replies import HOLD, Reply
from tests.support.providers.server import FakeProvider, fake_provider

TOKENS, PACE = 300, 1 / 30
FRAME = 1000 / 60
BARE = "a bare Streamlit page"
_ROUNDS = 5

_WATCH = """(draft) => {
    const seen = window.seen = new Map();
    const painted = (count) => {
        const after = new MessageChannel();
        after.port1.onmessage = () => {
            const at = performance.timeOrigin + performance.now();
            for (let n = seen.size; n < count; n++) seen.set(n, at);
        };
        after.port2.postMessage(0);
    };
    new MutationObserver(() => {
        const count = (draft.textContent.match(/w\\d+ /g) || []).length;
        requestAnimationFrame(() => painted(count));
    }).observe(draft, {childList: true, characterData: true, subtree: true});
}"""
"""Notes for each token when the frame that first shows it is handed on: a message after that frame's callbacks."""


def first_page(chromium: Browser, place: Path) -> list[Figure]:
    cold: dict[str, list[float]] = {"ours": [], BARE: []}
    typed: list[float] = []
    whole = {"ours": ".st-key-composer-row", BARE: "[data-testid=stChatInput]"}
    warm: dict[str, list[float]] = {"ours": [], BARE: []}
    elements = 0
    for number in range(_ROUNDS):
        home = place / f"first-{number}"
        home.mkdir()
        for name, starts in cold.items():
            began = time.perf_counter()
            serving = served(home / "data") if name == "ours" else bare_page(home, elements)
            with serving as server:
                page = chromium.new_page()
                page.goto(server.url)
                page.wait_for_selector("[data-testid=stChatInput] textarea")
                if name == "ours":
                    typed.append((time.perf_counter() - began) * 1000)
                drawn(page, whole[name])
                starts.append((time.perf_counter() - began) * 1000)
                if name == "ours":
                    elements = page.locator("[data-testid=stElementContainer]").count()
                times = []
                for _ in range(3):
                    began = time.perf_counter()
                    page.reload()
                    drawn(page, whole[name])
                    times.append((time.perf_counter() - began) * 1000)
                warm[name].append(statistics.median(times))
                page.close()
    of = f"{BARE} of {elements} elements"
    return [
        aimed("from starting the server until a question can be typed", typed, 2_000),
        beside("from starting the server to the first page drawn", cold["ours"], cold[BARE], of, 3_000),
        beside("a reload of the first page", warm["ours"], warm[BARE], of, 3_000),
    ]


def beside(name: str, ours: list[float], floor: list[float], of: str, most: float | None = None) -> Figure:
    """The median, and the ratio to the baseline that was measured in the same round."""
    value = statistics.median(ours)
    ratio = statistics.median(a / b for a, b in zip(ours, floor, strict=True))
    aim = f"≤ {most:,} ms" if most else ""
    return Figure(name, value, "ms", ratio, of, aim, value <= most if most else None)


def aimed(name: str, times: Sequence[float], most: float | None = None, *, frames: bool = False) -> Figure:
    """The median, with the aim of at most `most` milliseconds; `frames`: also as a number of frames at 60 Hz."""
    value = statistics.median(times)
    ratio, of = (value / FRAME, "a frame at 60 Hz") if frames else (None, "")
    return Figure(
        name, value, "ms", ratio, of, f"≤ {round(most):,} ms" if most else "", value <= most if most else None
    )


def late(times: Sequence[float], name: str = "… its 95th percentile") -> Figure:
    """The time that one in twenty exceeds."""
    return Figure(name, sorted(times)[int(len(times) * 0.95)], "ms")


def tokens(page: Page, url: str, chats: Chats, provider: FakeProvider) -> list[float]:
    """Milliseconds from sending each token of a provider's stream to its frame."""
    page.goto(f"{url}/?chat={chats.ordinary}")
    drawn(page, ".ab-bubble")
    page.locator("[data-testid=live-tail] .draft").evaluate(_WATCH)
    field = page.locator("[data-testid=stChatInput] textarea")
    field.fill("Tell me at your pace")
    field.press("Enter")
    provider.wait_for_hold()
    page.wait_for_function("() => !!document.querySelector('.st-key-stop')")
    time.sleep(1)  # the page has taken up that a turn runs
    sent: list[float] = []
    began = time.perf_counter()
    for number in range(TOKENS):
        time.sleep(max(0.0, began + number * PACE - time.perf_counter()))
        sent.append(time.time() * 1000)
        provider.release()
    page.wait_for_function(f"() => window.seen.size >= {TOKENS - 1}", timeout=20_000)
    seen: list[Any] = page.evaluate("() => [...window.seen.entries()]")
    page.wait_for_function("() => !document.querySelector('.st-key-stop')", timeout=60_000)
    return [at - sent[number] for number, at in seen if number < TOKENS]


def live(chromium: Browser, place: Path) -> list[Figure]:
    said = tuple(part for number in range(TOKENS) for part in (HOLD, f"w{number} "))
    with fake_provider("openai", [Reply(text=said)] * 3) as provider:
        chats = prepare(place, base_url=provider.base_url)
        with served(chats.data) as server:
            page = chromium.new_page()
            runs = [tokens(page, server.url, chats, provider) for _ in range(3)]
            page.close()
    run = sorted(runs, key=statistics.median)[1]
    what = f"{TOKENS} tokens at 30 per second, {EXCHANGES} exchanges above"
    return [aimed(f"token to pixel, {what}", run, 50), late(run)]


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        return [*first_page(chromium, Path(name)), *live(chromium, Path(name))]


if __name__ == "__main__":
    main(measure)
