"""Time limits count a process's own CPU time: a busy machine makes it slow, but does not fail it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.rendering.charts.cpu_deadline import PATIENCE, wait_for

IDLE = "import time; print(flush=True); time.sleep(600)"
BUSY = "print(flush=True)\nwhile True: pass"


@contextmanager
def running(code: str) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-I", "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says how long a process worked")
def test_a_process_that_gets_no_cpu_time_is_waited_for_longer_than_one_that_works() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, running(IDLE) as idle:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            wait_for(ours, idle, 0.1)
        assert time.monotonic() - began >= PATIENCE * 0.1


def test_a_process_that_works_endlessly_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, running(BUSY) as busy, pytest.raises(TimeoutError):
        wait_for(ours, busy, 0.1)


def test_a_result_that_has_arrived_is_returned_without_waiting() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, running(IDLE) as idle:
        theirs.send(b"x")
        wait_for(ours, idle, 0.0)
