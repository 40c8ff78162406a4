"""The page over time: what an idle page uses, and what an hour of use leaves behind.

python -m tests.bench.bench_page_hours
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.bench.harness import Figure, main
from tests.bench.page_chats import Chats, prepare
from tests.bench.page_served import Served, bare_page, browser, cpu_seconds, drawn, rss_mb, served, tree

QUESTIONS, SWITCHES, RELOADS, CHATS = 200, 100, 50, 50
_PARTS = 4
"""The hour is used up in so many parts, alike; growth is told from part to part."""


@contextmanager
def quiet(page: Page, server: Served, seconds: int = 30) -> Iterator[list[float]]:
    """Yield a list that afterwards contains the percentages of a core used by server and browser."""
    ours = tree(server.process.pid)
    theirs = tree(os.getpid(), "chrom")
    page.wait_for_timeout(3_000)
    used = [cpu_seconds(ours), cpu_seconds(theirs)]
    found: list[float] = []
    page.wait_for_timeout(seconds * 1_000)
    found += [
        100 * (cpu_seconds(ours) - used[0]) / seconds,
        100 * (cpu_seconds(theirs) - used[1]) / seconds,
    ]
    yield found


def idle(page: Page, server: Served, chats: Chats, bare: Served) -> list[Figure]:
    page.goto(bare.url)
    drawn(page)
    with quiet(page, bare) as floor:
        pass
    page.goto(f"{server.url}/?chat={chats.ordinary}")
    drawn(page, ".ab-bubble")
    with quiet(page, server) as chat:
        pass
    page.locator(".st-key-files button:visible").click()
    drawn(page, ".st-key-side-panel")
    with quiet(page, server) as panel:
        pass
    page.locator(".st-key-history-of-chat button:visible").click()
    drawn(page, ".st-key-inspector")
    with quiet(page, server) as history:
        pass
    page.goto("about:blank")
    shown = {"a chat open": chat, "with the Files panel": panel, "with the history": history}
    figures = []
    for place, who, most in ((0, "server", 2.0), (1, "browser", 3.0)):
        for name, used in shown.items():
            aim, bare_used = f"≤ {most:g} %", floor[place]
            figures.append(
                Figure(
                    f"{who}, {name}: use of a core over 30 s (a bare page: {bare_used:.2f} %)",
                    used[place],
                    "%",
                    None,
                    "",
                    aim,
                    used[place] <= most,
                )
            )
    return figures


class Hour:
    """A user of the page for an hour, in a few minutes."""

    def __init__(self, page: Page, server: Served, chats: Chats) -> None:
        self._page, self._server, self._chats = page, server, chats
        self._cdp: CDPSession = page.context.new_cdp_session(page)
        self._cdp.send("Performance.enable")

    def use(self, part: int) -> None:
        """A part of the hour: questions, panels, the history, reloads and other chats."""
        page = self._page
        page.goto(f"{self._server.url}/?chat={self._chats.ordinary}")
        drawn(page, ".ab-bubble")
        for number in range(QUESTIONS // _PARTS):
            self._ask(f"Question {part}.{number}?")
        for number in range(SWITCHES // _PARTS):
            self._switch(number)
        for _ in range(RELOADS // _PARTS):
            page.reload()
            drawn(page, ".ab-bubble")
        for number in range(CHATS // _PARTS):
            other = (self._chats.long, self._chats.ordinary)[number % 2]
            page.locator(f".st-key-open-{other} button:visible").click()
            drawn(page, f".st-key-here-{other}")

    def _ask(self, question: str) -> None:
        page = self._page
        field = page.locator("[data-testid=stChatInput] textarea")
        field.fill(question)
        field.press("Enter")
        page.wait_for_function(
            "asked => [...document.querySelectorAll('.ab-bubble')].at(-1)?.innerText === asked"
            " && !document.querySelector('.st-key-stop')"
            " && !!document.querySelector('[class*=st-key-exchange-]:last-of-type [class*=st-key-actions-]')",
            arg=question,
            timeout=60_000,
        )
        drawn(page)

    def _switch(self, number: int) -> None:
        page = self._page
        if number % 5 == 4:
            page.locator(".st-key-history-of-chat button:visible").click()
            drawn(page, ".st-key-inspector")
            page.locator(".st-key-open-the-chat button:visible").click()
            drawn(page)
        else:
            name = ("files", "branches")[number % 2]
            page.locator(f".st-key-{name} button:visible").click()
            drawn(page)

    def left(self) -> dict[str, float]:
        """Memory in use now: the server's memory, the tab's heap, nodes and listeners, after a garbage collection."""
        page = self._page
        page.goto(f"{self._server.url}/?chat={self._chats.ordinary}")
        drawn(page, ".ab-bubble")
        self._cdp.send("HeapProfiler.collectGarbage")
        counted: dict[str, Any] = self._cdp.send("Memory.getDOMCounters")
        heap: dict[str, Any] = self._cdp.send("Runtime.getHeapUsage")
        return {
            "server": rss_mb(tree(self._server.process.pid, "streamlit")[0]),
            "heap": heap["usedSize"] / 2**20,
            "nodes": counted["nodes"],
            "listeners": counted["jsEventListeners"],
        }

    def stays(self, times: int, action: Callable[[], object]) -> dict[str, list[float]]:
        """The tab's counts after each tenth of `times` repetitions without a reload."""
        found: dict[str, list[float]] = {"nodes": [], "listeners": [], "heap": []}
        for number in range(times):
            action()
            if number % max(1, times // 10) == 0:
                self._cdp.send("HeapProfiler.collectGarbage")
                counted = self._cdp.send("Memory.getDOMCounters")
                found["nodes"].append(counted["nodes"])
                found["listeners"].append(counted["jsEventListeners"])
                found["heap"].append(self._cdp.send("Runtime.getHeapUsage")["usedSize"] / 2**20)
        return found


def hour(page: Page, server: Served, chats: Chats) -> list[Figure]:
    used = Hour(page, server, chats)
    held = []
    for part in range(_PARTS):
        used.use(part)
        held.append(used.left())
    figures = []
    for name, what, unit in (
        ("server", "memory of the server", "MB"),
        ("heap", "heap of the tab", "MB"),
        ("nodes", "nodes of the tab", ""),
        ("listeners", "listeners of the tab", ""),
    ):
        values = [one[name] for one in held]
        grown = values[-1] / values[-2]
        aimed = name == "server"
        figures.append(
            Figure(
                f"{what} after the scripted hour (its quarters: {', '.join(f'{v:,.0f}' for v in values)})",
                values[-1],
                unit,
                grown,
                "the quarter before",
                "≤ 1.1 x the quarter before" if aimed else "",
                grown <= 1.1 if aimed else None,
            )
        )
    return figures


def tab(page: Page, server: Served, chats: Chats) -> list[Figure]:
    """One tab without a reload: panels, history and other chats, again and again."""
    used = Hour(page, server, chats)
    page.goto(f"{server.url}/?chat={chats.ordinary}")
    drawn(page, ".ab-bubble")
    numbers = iter(range(10_000))
    counts = used.stays(50, lambda: [used._switch(next(numbers)) for _ in range(5)])
    figures = []
    for name in ("nodes", "listeners", "heap"):
        values = counts[name]
        early, late = statistics.median(values[2:5]), statistics.median(values[-3:])
        figures.append(
            Figure(
                f"{name} of a tab after 250 switches of panels and history, no reload",
                late,
                "MB" if name == "heap" else "",
                late / early,
                "after 60 to 100",
                "≤ 1.2 x" if name == "nodes" else "",
                late / early <= 1.2 if name == "nodes" else None,
            )
        )
    return figures


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        place = Path(name)
        chats = prepare(place)
        with served(chats.data) as server, bare_page(place, 100) as bare:
            page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
            began = time.monotonic()
            figures = idle(page, server, chats, bare)
            figures += tab(page, server, chats)
            figures += hour(page, server, chats)
            print(f"({time.monotonic() - began:.0f} s)")
    return figures


if __name__ == "__main__":
    main(measure)
