"""A process is started before its call: it serves only that call, and no broken or unused process is left."""

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from engine.runtime.pool import Pool
from engine.runtime.prefork import HostFailed, PreforkedProcess, Process
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

CODE = """
import os, sys
from pathlib import Path
def run(workspace, mark=None):
    found = getattr(sys, "mark", None)
    sys.mark = mark
    began = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    return {"began": began, "pid": f"{os.getpid()} " + str(Path("/proc/self/ns/pid").readlink()), "found": found}
"""


@pytest.fixture(params=[True, False], ids=["fork", "once"])
def forks(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def request_of(folder: Path, code: str = CODE) -> RunRequest:
    (folder / "tools").mkdir(exist_ok=True)
    (folder / "tools" / "marks.py").write_text(code)
    return RunRequest("call", folder, "marks:run", folder, {"mark": "mine"})


def run(pool: Pool, request: RunRequest) -> RunOutcome:
    return pool.run(request, cancel=Cancellation())


def below(pid: int) -> set[int]:
    """The live descendants of a process."""
    found: set[int] = set()
    with suppress(OSError):  # gone meanwhile
        for task in Path(f"/proc/{pid}/task").glob("*"):
            for child in map(int, (task / "children").read_text().split()):
                found |= {child} | below(child) if alive(child) else set()
    return found


def alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def settled(expected: int, others: set[int]) -> set[int]:
    """Our descendants without `others`, once there are `expected` of them."""
    until = time.monotonic() + 600
    while len(found := below(os.getpid()) - others) != expected and time.monotonic() < until:
        time.sleep(0.01)
    assert len(found) == expected
    return found


def test_no_process_serves_two_calls(tmp_path: Path, forks: bool) -> None:
    request = request_of(tmp_path)
    with Pool(fork=forks) as pool, ThreadPoolExecutor(4) as threads:
        values = [outcome.value for outcome in threads.map(lambda _: run(pool, request), range(12))]
    assert [value["found"] for value in values if value] == [None] * 12
    assert len({(value["began"], value["pid"]) for value in values if value}) == 12


def test_a_bundle_that_changes_while_a_process_waits_runs_in_its_new_version(
    tmp_path: Path, forks: bool
) -> None:
    with Pool(fork=forks) as pool:
        assert run(pool, request_of(tmp_path)).status == "success"
        changed = request_of(tmp_path, "def run(workspace, mark): return {'new': True}")
        assert run(pool, changed).value == {"new": True}


def test_killing_a_waiting_process_fails_no_call(tmp_path: Path, forks: bool) -> None:
    others = below(os.getpid())
    request = request_of(tmp_path)
    with Pool(fork=forks) as pool:
        held = run(pool, request).confinement
        waiting = 3 + ("own processes" in held.layers) if forks else 1
        for pid in settled(waiting, others):  # the host, a supervisor, an init, and the one that waits
            with suppress(ProcessLookupError):  # it ends by itself where the one above it is gone already
                os.kill(pid, signal.SIGKILL)
        assert run(pool, request).status == "success"


def test_a_call_stopped_before_its_supervisor_has_registered_it_is_killed(tmp_path: Path) -> None:
    others = below(os.getpid())
    code = "import anabranch_tool, time\ndef run(workspace, mark): anabranch_tool.progress(0, 'in'); time.sleep(9000)"
    request = replace(request_of(tmp_path, code), limits=Limits(seconds=9000))
    with Pool(fork=True) as pool:
        (tmp_path / "first").mkdir()
        held = run(pool, request_of(tmp_path / "first")).confinement
        waiting = settled(3 + ("own processes" in held.layers), others)
        held_up = [pid for pid in waiting if below(pid)]  # the host and the supervisor
        cancel = Cancellation()

        def stop(*_: object) -> None:
            cancel.set()
            for pid in held_up:
                os.kill(pid, signal.SIGCONT)

        for pid in held_up:
            os.kill(pid, signal.SIGSTOP)
        outcome = pool.run(request, cancel=cancel, on_progress=stop)
    assert outcome.status == "cancelled"


def test_closing_the_pool_leaves_no_process(tmp_path: Path, forks: bool) -> None:
    others = below(os.getpid())
    with Pool(fork=forks) as pool:
        assert run(pool, request_of(tmp_path)).status == "success"
    settled(0, others)


def test_a_failure_to_prefork_is_reported_to_the_call_that_needs_the_process() -> None:
    def begin() -> Process:
        raise HostFailed

    ahead = PreforkedProcess(begin)
    ahead.prepare()
    with pytest.raises(HostFailed):
        ahead.take()
