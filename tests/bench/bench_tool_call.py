"""The cost of a small tool call beyond the tool's own time, warm and cold, confined as in the app.

python -m tests.bench.bench_tool_call
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from engine.app.wiring_parts import PRELOAD
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunRequest
from engine.system.cancellation import Cancellation
from tests.bench.harness import Figure, interleaved, main

BARE = "a bare interpreter"
IN_A_ROW = 20
"""Calls without a pause: what is done between calls, ahead of the next one, counts there too."""


def bare() -> None:
    subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        bundle = Path(place)
        (bundle / "tools").mkdir()
        (bundle / "tools" / "small.py").write_text("def run(workspace): return {}")
        request = RunRequest("call", bundle, "small:run", bundle, {})

        def in_a_row(pool: Pool) -> None:
            for _ in range(IN_A_ROW):
                assert pool.run(request, cancel=Cancellation()).status == "success"

        def cold(preload: tuple[str, ...]) -> None:
            with Pool(preload=preload) as fresh:
                assert fresh.run(request, cancel=Cancellation()).status == "success"

        with Pool(preload=PRELOAD) as warm, Pool(fork=False) as single:
            contenders: dict[str, Callable[[], object]] = {
                BARE: bare,
                "warm": lambda: warm.run(request, cancel=Cancellation()),
                "single": lambda: single.run(request, cancel=Cancellation()),
                "cold": lambda: cold(()),
                "cold loaded": lambda: cold(PRELOAD),
            }
            timed = interleaved(contenders, rounds=5, block=8)
            row = interleaved({BARE: bare, "row": lambda: in_a_row(warm)}, rounds=5)["row"]
    return [
        timed[BARE].figure("start and end a bare interpreter", BARE),
        timed["warm"].within(
            "a tool that does nothing, warm: forked in advance from a loaded host", BARE, 12
        ),
        Figure(f"… {IN_A_ROW} of them without a pause, per call", row.ms / IN_A_ROW, "ms"),
        timed["single"].figure("… in a single-use process (if forking is not safe)", BARE),
        timed["cold"].figure("… cold: the first call, nothing preloaded", BARE),
        timed["cold loaded"].figure("… cold: the first call, DuckDB and pyarrow loaded first", BARE),
    ]


if __name__ == "__main__":
    main(measure)
