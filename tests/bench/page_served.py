"""A served app and a Chromium for the benchmarks of the page, and the resources that they use (read from /proc).

A bare Streamlit page with the same number of elements is served too, to measure what Streamlit itself costs here.
"""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.harness import free_port
from tests.support.chromium import find_chromium

__all__ = [
    "DRAWN",
    "ROOT",
    "Served",
    "bare_page",
    "browser",
    "cpu_seconds",
    "drawn",
    "rss_mb",
    "served",
    "tree",
]

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
_CLI = "from engine.cli.main import main; main()"
_TICKS = os.sysconf("SC_CLK_TCK")

DRAWN = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale=true]') && !!document.querySelector('%s')"""
"""Whether no script runs for this tab, and nothing that a run left behind is shown any more."""

_BARE = """\
import streamlit as st
for number in range({elements}):
    st.html(f"<p>Element {{number}} of a page with nothing else on it.</p>")
st.chat_input("Ask")
"""


@dataclass(frozen=True)
class Served:
    """A server that this benchmark started."""

    url: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def served(data: Path) -> Iterator[Served]:
    """The app on a data folder."""
    port = free_port(18_601)
    command = [sys.executable, "-c", _CLI, "serve", "--data", str(data), "--port", str(port)]
    yield from _serving(command, port, data.parent)


@contextmanager
def bare_page(place: Path, elements: int) -> Iterator[Served]:
    """A Streamlit page with that many elements and the same settings as ours."""
    port = free_port(18_701)
    script = place / "bare.py"
    script.write_text(_BARE.format(elements=elements))
    options = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    yield from _serving([sys.executable, "-m", "streamlit", "run", str(script), *options], port, place)


def _serving(command: Sequence[str], port: int, place: Path) -> Iterator[Served]:
    environ = os.environ | {
        "ANABRANCH_CONFIG": str(place / "config"),
        "ANABRANCH_KEYRING": "off",
        "PYTHONPATH": str(ROOT),
    }
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=quiet, stderr=quiet)
    try:
        url = f"http://127.0.0.1:{port}"
        while not _healthy(url):
            if process.poll() is not None:
                raise RuntimeError("The server ended before it answered.")
            time.sleep(0.01)
        yield Served(url, process)
    finally:
        process.terminate()
        process.wait(30)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


def drawn(page: Page, what: str = "[data-testid=stChatInput]") -> None:
    """Return when `what` is on the page and no script runs; checked at each frame."""
    page.wait_for_function(DRAWN % what, polling="raf", timeout=120_000)


def tree(root: int, name: str = "") -> list[int]:
    """A process and its descendants, but only those whose command contains `name`."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, left = [root], [root]
    while left:
        at = left.pop()
        below = [pid for pid, parent in parents.items() if parent == at]
        found += below
        left += below
    return [pid for pid in found if name in _command(pid)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def cpu_seconds(pids: Sequence[int]) -> float:
    """CPU time that these processes have used."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / _TICKS


def rss_mb(pid: int) -> float:
    """Memory that a process uses."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
