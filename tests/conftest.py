"""Shared by all tests: loopback network only, no real keys, and a clock and ids that are the same in every run."""

import gc
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from engine.app.app import App
from engine.app.wiring_parts import PRELOAD
from engine.runtime.hosts import close_hosts, new_hosts

settings.register_profile(
    "anabranch",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("anabranch")

LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--pictures`: browser tests save screenshots in `screenshots/`."""
    parser.addoption("--pictures", action="store_true", help="leave screenshots of the browser's stories")


def pytest_configure() -> None:
    """Let Ctrl C end the processes that tests start, even where a background shell makes them ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    """Turn off garbage collection during test collection, which would take a sixth of the time and free nothing."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exempt all imported and collected objects from garbage collection, since they are needed to the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Hide the keyring, files and variables with real keys from tests and the processes that they start.

    Tests have a separate configuration folder.
    """
    folder = tmp_path_factory.mktemp("config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANABRANCH_KEYRING", "off")
        patch.setenv("ANABRANCH_CONFIG", str(folder))
        for name in [name for name in os.environ if name.endswith("_API_KEY") or name.startswith("IMAGE_")]:
            patch.delenv(name)
        yield folder


class _Opening:
    copies = True
    """Whether a new data folder begins as a copy."""


@pytest.fixture(scope="session", autouse=True)
def _one_warm_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the apps that a test process opens share their hosts, as the visitors of a demo do.

    Otherwise each would load DuckDB and pyarrow, which is half of the time to open an app. Tests that look at an
    app's own processes use `own_host`. A new folder starts as a copy of one that was opened once, with the shipped
    tools installed: that saves two thirds of the rest. If a test gives an app its clock, its ids or its log, the
    first run is recorded with these too.
    """
    hosts, opening = new_hosts(PRELOAD), App.__init__
    first = tmp_path_factory.mktemp("first") / "data"
    App(first, hosts=hosts).close()

    def opened(self: App, data: Path, **how: Any) -> None:
        if (
            _Opening.copies
            and not data.exists()
            and not {"clock", "new_id", "open_log", "bounds"} & how.keys()
        ):
            shutil.copytree(first, data)
        opening(self, data, **{"hosts": hosts} | how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "__init__", opened)
        yield
    close_hosts(hosts)


@pytest.fixture(autouse=True)
def _no_marks_of_earlier_tests(_config: Path) -> None:
    """Without this, an app opened on a copy of the first run would read the marks of all earlier copies, hundreds
    because all are the same log.
    """
    shutil.rmtree(_config / "checkpoints", ignore_errors=True)


@pytest.fixture
def own_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each app that the test opens a new log instead of a copy of the shared first run."""
    monkeypatch.setattr(_Opening, "copies", False)


@pytest.fixture
def own_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each app that the test opens its own tool host, as in normal use."""
    opening = App.__init__
    monkeypatch.setattr(
        App, "__init__", lambda self, data, **how: opening(self, data, **{"hosts": None} | how)
    )


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that connects to another machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOOPBACK:  # type: ignore[index]
            raise AssertionError(f"A test tried to reach {address}.")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


class Ticking:
    """A clock that advances by a second each time it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Ticking:
    """A new `Ticking` clock."""
    return Ticking()
