"""What a small tool call costs over the tool's own time: python -m tests.bench.bench_tool_call"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.cancel import Cancel
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunRequest


def timed(action: Callable[[], object], times: int) -> float:
    """Median milliseconds, after two for warming up."""
    seen = []
    for _ in range(times + 2):
        began = time.perf_counter()
        action()
        seen.append((time.perf_counter() - began) * 1000)
    return statistics.median(seen[2:])


def main() -> None:
    cold = timed(lambda: subprocess.run([sys.executable, "-I", "-c", "pass"], check=True), 10)
    print(f"bare interpreter              {cold:8.1f} ms")
    with tempfile.TemporaryDirectory() as place:
        bundle = Path(place)
        (bundle / "tools").mkdir()
        (bundle / "tools" / "small.py").write_text("def run(workspace): return {}")
        request = RunRequest("call", bundle, "small:run", bundle, {})
        ways: list[tuple[str, bool, tuple[str, ...]]] = [
            ("forked, nothing loaded", True, ()),
            ("forked, duckdb and pyarrow", True, ("duckdb", "pyarrow")),
            ("single use, nothing loaded", False, ()),
        ]
        for name, fork, preload in ways:
            with Pool(fork=fork, preload=preload) as pool:
                value = timed(lambda pool=pool: pool.run(request, cancel=Cancel()), 40)  # type: ignore[misc]
            print(f"{name:29} {value:8.1f} ms  {value / cold:5.2f} times the bare interpreter")


if __name__ == "__main__":
    main()
