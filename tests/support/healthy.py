"""Waiting for a server that a test started."""

import subprocess
import urllib.request
from threading import Event

__all__ = ["until_healthy"]


def until_healthy(url: str, server: "subprocess.Popen[bytes]") -> None:
    """Wait until `url` answers 200; fail if the server ends first."""
    for _ in range(6_000):
        assert server.poll() is None, "the server ended before it was healthy"
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                if answer.status == 200:
                    return
        except OSError:
            Event().wait(0.1)
    raise AssertionError("the server did not become healthy in ten minutes")
