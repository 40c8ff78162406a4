"""The time from starting the command to its first line, and from starting the app to its page.

python -m tests.bench.bench_startup
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.harness import Figure, Timing, free_port, interleaved, main

BARE = "a bare interpreter"
CLI = "import sys; from engine.cli.main import main; sys.argv[0] = 'anabranch'; main()"


def command(*arguments: str) -> Callable[[], object]:
    """Run the CLI to its end, which comes right after its first line."""
    return lambda: subprocess.run([sys.executable, "-c", CLI, *arguments], check=True, capture_output=True)


def processor_time(action: Callable[[], object]) -> float:
    """Milliseconds of CPU time of the processes that `action` runs, which a busy machine does not change."""
    before = os.times()
    action()
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    ) * 1000


def served(data: str) -> float:
    """Seconds from starting the app until the page's script and its health route answer over HTTP."""
    began = time.perf_counter()
    with serving(data):
        return time.perf_counter() - began


@contextmanager
def serving(data: str, *paths: str) -> Iterator[None]:
    """The app on a data folder, from the time when it also answers at `paths` until the end of the block."""
    port, began = free_port(18_501), time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", CLI, "serve", "--data", data, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for path in ("/_stcore/health", "/", *paths):
            while not _answers(f"http://127.0.0.1:{port}{path}"):
                if time.perf_counter() - began > 60 or process.poll() is not None:
                    raise RuntimeError("The app did not come up.")
                time.sleep(0.01)
        yield
    finally:
        process.terminate()
        process.wait(20)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def timed_bare() -> object:
    return subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
        data = str(Path(name) / "data")
        command("send", "CreateChat", "title=One", "--data", data)()
        timed: dict[str, Timing] = interleaved(
            {
                BARE: timed_bare,
                "help": command("--help"),
                "list": command("chat", "list", "--data", data),
                "page": lambda: served(data),
            },
            rounds=5,
        )
        with serving(data, "/v1/health"):  # which waits until the data folder is open
            beside = interleaved(
                {BARE: timed_bare, "list": command("chat", "list", "--data", data)}, rounds=5
            )
        listing = statistics.median(processor_time(command("chat", "list", "--data", data)) for _ in range(3))
    return [
        timed[BARE].figure("start and end a bare interpreter", BARE),
        timed["help"].within("`anabranch --help`, in total", BARE, 600),
        timed["list"].within("`anabranch chat list`, in total", BARE, 400),
        Figure("… its processor time", listing, "ms"),
        beside["list"].within("`anabranch chat list` while the app is running, in total", BARE, 250),
        timed["page"].within("`anabranch serve` until the page is served over HTTP", BARE, 3_000),
    ]


if __name__ == "__main__":
    main(measure)
