"""Serves the app in a separate process on loopback, and runs the command line while it is running."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

__all__ = ["MAIN", "ROOT", "Served", "command", "served"]

ROOT = Path(__file__).resolve().parents[3]
MAIN = "from engine.cli.main import main; main()"


@dataclass
class Served:
    """An app that runs in a separate process, and its folders."""

    url: str
    data: Path
    config: Path
    process: "subprocess.Popen[bytes]"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "ANABRANCH_CONFIG": str(self.config), "PYTHONPATH": str(ROOT)}

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {(self.config / 'service-token').read_text()}"}

    def run(self, *words: object, cwd: Path = ROOT, **more: Any) -> "subprocess.CompletedProcess[str]":
        """Run a command while the app is running, or after it has ended."""
        env = {**self.environment, **more.pop("env", {})}
        return subprocess.run(
            command(self.data, *words),
            cwd=cwd, env=env, capture_output=True, text=True, timeout=600, check=False,
            **({"stdin": subprocess.DEVNULL} | more if "input" not in more else more),
        )  # fmt: skip

    def end(self, how: int = signal.SIGTERM) -> float:
        """End the app, and return how many seconds that took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(timeout=600)
        return time.monotonic() - began


def command(data: Path, *words: object) -> list[str]:
    """The arguments of a process that runs the command line."""
    return [sys.executable, "-c", MAIN, *map(str, words), "--data", str(data)]


@contextmanager
def served(data: Path, config: Path) -> Iterator[Served]:
    """Serve `data` for the duration of the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "ANABRANCH_CONFIG": str(config), "PYTHONPATH": str(ROOT)}
    with (config.parent / "server.log").open("w") as log:
        process = subprocess.Popen(
            command(data, "serve", "--port", port), cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    service = Served(f"http://127.0.0.1:{port}", data, config, process)
    try:
        _until_healthy(service)
        yield service
    finally:
        service.end()


def _until_healthy(service: Served) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        assert service.process.poll() is None, "the server ended before it was healthy"
        try:
            with urllib.request.urlopen(f"{service.url}/v1/health", timeout=60) as answer:
                if json.load(answer)["ok"]:
                    return
        except (OSError, ValueError):
            Event().wait(0.05)
    raise AssertionError("the server did not become healthy in ten minutes")
