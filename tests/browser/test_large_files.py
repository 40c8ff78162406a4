"""A file of 100 MB on the page: upload progress, failure and retry, and a page that stays usable."""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Locator, Page, expect

from engine.system.data_folder_lock import holder
from tests.browser.conftest import Served, serving
from tests.browser.steps import answered, ask, open_page, settled, tool_line

pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds tool processes in /proc"),
]
ROWS = 1_750_000
REGIONS = ("North", "South", "East", "West", "Online")
MINUTES = 5 * 60_000
"""Milliseconds that the page may take for what a large file needs, on a machine that is busy."""


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV of 100 MB: in each row a sale that is a hundredth larger, for the regions in turn."""
    file = tmp_path_factory.mktemp("large") / "sales.csv"
    with file.open("w") as rows:
        rows.write("id,day,region,customer,revenue,units\n")
        for n in range(ROWS):
            day = f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}"
            rows.write(
                f"{n},{day},{REGIONS[n % 5]},customer number {n % 99_991:06},{n // 100}.{n % 100:02},{n % 60}\n"
            )
    assert 95e6 < file.stat().st_size < 120e6
    return file


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Served]:
    """A separate app, to which the file is new."""
    with serving(tmp_path) as app:
        yield app


def revenue(region: str) -> str:
    """Return the sales of a region, as in JSON."""
    return f"{sum(range(REGIONS.index(region), ROWS, 5)) / 100:.2f}".rstrip("0").rstrip(".")


def reading_process(server: int, file: str) -> int | None:
    """Return the process that types a file for a server, if it has opened the file. Before that, nothing is lost if it
    ends: the pool starts another.
    """
    scratch = f"{tempfile.gettempdir()}/anabranch-typing-"
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            types = str((entry / "cwd").readlink()).startswith(scratch)
            reads = types and any(fd.readlink().name == file for fd in (entry / "fd").iterdir())
            if reads and server in ancestors(int(entry.name)):
                return int(entry.name)
        except OSError:  # it ended meanwhile
            continue
    return None


def ancestors(pid: int) -> list[int]:
    """Return the processes above one."""
    found = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.append(pid)
    return found


def kill_reading(server: int, file: str, stopped: Event) -> None:
    """Wait for the process that reads the file, and kill it."""
    while not stopped.wait(0.02):
        if (pid := reading_process(server, file)) is not None:
            os.kill(pid, signal.SIGKILL)
            return
    raise AssertionError("no process read the file")


def files_panel(page: Page) -> Locator:
    """Open the Files panel with the file selected."""
    page.locator(".st-key-files button:visible").first.click()
    panel = page.locator(".st-key-side-panel")
    expect(panel).to_be_visible()
    return panel


def expect_revenue(page: Page) -> None:
    """Check the last answer: one call, and the sales of each region, to the hundredth."""
    settled(page)
    tool_line(page).click()
    call = page.locator("[class*=st-key-tool-call-message-]").last
    expect(call.locator(".ab-badge")).to_have_text("Completed")
    for region in sorted(REGIONS)[:4]:  # the fifth is one of the lines that are folded
        expect(call).to_contain_text(f'"{region}",')
        expect(call).to_contain_text(revenue(region))


def test_a_file_of_100_mb_is_read_with_visible_progress_and_asked_about(
    page: Page, large: Served, sales: Path, shoot: Callable[[Page, str], None]
) -> None:
    open_page(page, large)
    ask(page, "total revenue by region", [sales])
    tail = page.locator("[data-testid=live-tail]")
    expect(tail.locator(".progress")).to_contain_text("Reading sales.csv", timeout=MINUTES)
    shoot(page, "large-file-reading")
    panel = files_panel(page)
    expect(panel).to_contain_text("sales.csv")
    answered(page)
    expect_revenue(page)
    expect(panel).to_contain_text("1,750,000 rows")
    shoot(page, "large-file-answered")


def test_a_file_that_could_not_be_read_can_be_read_again(
    page: Page, large: Served, sales: Path, shoot: Callable[[Page, str], None]
) -> None:
    server = holder(large.data)
    assert server is not None
    open_page(page, large)
    stopped = Event()
    with ThreadPoolExecutor(1) as threads:
        killed = threads.submit(kill_reading, server.pid, sales.name, stopped)
        try:
            ask(page, "total revenue by region", [sales])
            killed.result(MINUTES / 1000)
        finally:
            stopped.set()
    answered(page)
    panel = files_panel(page)
    expect(panel).to_contain_text("This file is not read as a table: the process that read it ended early")
    shoot(page, "large-file-failed")
    panel.get_by_role("button", name="Try again").click()
    expect(panel.locator("[data-testid=stProgress]")).to_contain_text("Reading")
    expect(panel).to_contain_text("1,750,000 rows", timeout=MINUTES)
    ask(page, "total revenue by region")
    answered(page)
    expect_revenue(page)
