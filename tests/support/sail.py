"""A distributed engine for one test: Sail in local-cluster mode, with a driver and workers, over Flight SQL."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from adbc_driver_flightsql import dbapi

__all__ = ["MISSING", "Sail", "running_sail"]

MISSING = importlib.util.find_spec("pysail") is None
"""Whether Sail is not installed. `make long` installs it; `make test` runs without it."""


@dataclass(slots=True)
class Sail:
    """A running engine."""

    port: int
    process: "subprocess.Popen[bytes]" = field(repr=False)

    @property
    def address(self) -> str:
        """The address in the form of a source."""
        return f"grpc://127.0.0.1:{self.port}"

    def run(self, *statements: str) -> None:
        """Run statements that change the engine's tables."""
        with closing(dbapi.connect(self.address, autocommit=True)) as connection:
            for statement in statements:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
                    cursor.fetchall()

    def kill(self) -> None:
        """Kill the engine and its workers at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def running_sail(folder: Path) -> Iterator[Sail]:
    """Run the engine for the duration of the block; `folder` is its working folder."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = int(listening.getsockname()[1])
    process = subprocess.Popen(
        [
            str(Path(sys.executable).with_name("sail")),
            "flight",
            "server",
            "--ip",
            "127.0.0.1",
            "--port",
            str(port),
        ],
        env={**os.environ, "SAIL_MODE": "local-cluster"},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    engine = Sail(port, process)
    try:
        _wait_until_it_listens(port, process)
        yield engine
    finally:
        if process.poll() is None:
            engine.kill()


def _wait_until_it_listens(port: int, process: "subprocess.Popen[bytes]") -> None:
    waiting = threading.Event()
    while True:
        assert process.poll() is None, "Sail did not start"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            waiting.wait(0.05)
