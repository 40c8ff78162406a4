"""The cost of confining a tool, per call and layer by layer: the part before the call, and the part within it.

python -m tests.bench.bench_sandbox
"""

import os
import statistics
import struct
import tempfile
import time
from functools import partial
from pathlib import Path

from engine.runtime.pool import Pool
from engine.runtime.protocol import RunRequest
from engine.runtime.sandbox.confine import Ready, Terms, can_have_own_mounts
from engine.system.cancellation import Cancellation
from tests.bench.harness import Figure, interleaved, main

FORK = "a bare fork"
ALL = ("own processes", "own network", "read-only mounts", "privileges", "files", "system calls")
ALONE = {
    "read-only mounts": ("own network", "files", "system calls", "privileges"),
    "own network": ("read-only mounts", "files", "system calls", "privileges"),
    "files (Landlock)": ("own network", "read-only mounts", "system calls"),
    "system calls (seccomp)": ("own network", "read-only mounts", "files"),
}
"""Each layer alone, by what is left out; the last two need that privileges were given up."""
ROUNDS, AIM, WHOLE_AIM = 60, 7.0, 12.0


def bare() -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def held(place: Path, own_mounts: bool, without: tuple[str, ...]) -> tuple[float, float]:
    """Milliseconds that a fork takes to get ready, and to be confined for a call."""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            terms = Terms(place, place, place, (), {}, False, 60.0, 4 << 30, 2 << 30, without=without)
            began = time.perf_counter()
            ready = Ready(own_mounts=own_mounts)
            middle = time.perf_counter()
            ready.confine(terms)
            os.write(write, struct.pack("dd", middle - began, time.perf_counter() - middle))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        ahead, call = struct.unpack("dd", pipe.read())
    return ahead * 1000, call * 1000


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        own_mounts = can_have_own_mounts()
        kinds = {"no layer": ALL, **ALONE, "all layers": ()}
        seen: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
        for _ in range(ROUNDS):
            for name, without in kinds.items():
                seen[name].append(held(folder, own_mounts, without))
        call = {name: statistics.median(c for _, c in times) for name, times in seen.items()}
        ahead = statistics.median(a for a, _ in seen["all layers"])
        whole = _whole(folder)
    more = call["all layers"] - call["no layer"]
    return [
        Figure("limits and a clean environment, per call", call["no layer"], "ms"),
        *(Figure(f"… added by {name}", call[name] - call["no layer"], "ms") for name in ALONE),
        Figure("all layers, added per call", more, "ms", None, "", f"≤ {AIM:g} ms", more <= AIM),
        Figure(
            "prepared before the call: rules for the files that every tool may read, own mounts", ahead, "ms"
        ),
        *whole,
    ]


def _whole(folder: Path) -> list[Figure]:
    (folder / "tools").mkdir()
    (folder / "tools" / "small.py").write_text("def run(workspace): return {}")
    request = RunRequest("call", folder, "small:run", folder, {})
    with Pool() as pool, Pool(without=ALL) as loose:
        calls = {"held": pool, "not held": loose}
        timed = interleaved(
            {
                FORK: bare,
                **{name: partial(each.run, request, cancel=Cancellation()) for name, each in calls.items()},
            },
            rounds=7,
            block=8,
        )
    more = timed["held"].ms - timed["not held"].ms
    return [
        timed[FORK].figure("fork, end and wait", FORK),
        timed["held"].figure("a whole call of a tool that does nothing, all layers", FORK),
        timed["not held"].figure("… no layer", FORK),
        Figure(
            "all layers, added per whole call", more, "ms", None, "", f"≤ {WHOLE_AIM:g} ms", more <= WHOLE_AIM
        ),
    ]


if __name__ == "__main__":
    main(measure)
