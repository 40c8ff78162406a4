"""How benchmarks measure: contenders take turns within each round; ratios per round, medians over rounds.

If the machine is busy, all contenders of a round slow down alike, so ratios are reliable where times are not.
"""

import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Figure", "Timing", "free_port", "interleaved", "logs", "main", "once"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number."""

    name: str
    value: float
    unit: str
    """`ms`, `MB`, `bytes`, `x` …"""
    ratio: float | None = None
    of: str = ""
    """What the ratio is to."""
    aim: str = ""
    holds: bool | None = None
    """Whether the aim is met; None where there is none."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One contender: medians over rounds."""

    ms: float
    p99: float
    ratios: Mapping[str, float]
    """To each contender."""

    def figure(self, name: str, of: str, *, most: float | None = None, aim: str = "") -> Figure:
        """This timing compared with `of`; `most` is the largest ratio that meets the aim."""
        ratio = self.ratios[of]
        wanted = aim or (f"≤ {most:g} x {of}" if most is not None else "")
        return Figure(name, self.ms, "ms", ratio, of, wanted, None if most is None else ratio <= most)

    def within(self, name: str, of: str, most: float) -> Figure:
        """This timing, with the aim of at most `most` milliseconds."""
        return Figure(name, self.ms, "ms", self.ratios[of], of, f"≤ {most:g} ms", self.ms <= most)


def interleaved(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int = 7, block: int = 1, warm: int = 1
) -> dict[str, Timing]:
    """Time the contenders in turn, operation by operation: `block` operations each per round, whose median counts."""
    for action in contenders.values():
        for _ in range(warm):
            action()
    seen: list[dict[str, list[float]]] = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            times: dict[str, list[float]] = {name: [] for name in contenders}
            for turn in range(block):
                order = list(contenders.items())
                for name, action in order if turn % 2 == 0 else reversed(order):
                    began = time.perf_counter()
                    action()
                    times[name].append((time.perf_counter() - began) * 1000)
            seen.append(times)
    finally:
        gc.enable()
    middle = [{name: statistics.median(times) for name, times in r.items()} for r in seen]
    return {
        name: Timing(
            statistics.median(r[name] for r in middle),
            statistics.median(sorted(r[name])[int(len(r[name]) * 0.99)] for r in seen),
            {other: statistics.median(r[name] / r[other] for r in middle) for other in contenders},
        )
        for name in contenders
    }


def once(action: Callable[[], object]) -> float:
    """Milliseconds of one run, for actions that cannot be repeated."""
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


@contextmanager
def logs() -> Iterator[Callable[[int], Path]]:
    """Logs by number of events: from the folder that the report created, or created now."""
    from tests.bench.history import build  # noqa: PLC0415 - not every benchmark wants a log

    with tempfile.TemporaryDirectory() as place:
        kept = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(place)

        def log(events: int) -> Path:
            home = kept / str(events)
            if not home.exists():
                raw = build(home, events)
                (home / "raw").write_text(str(raw))
            return home

        yield log


def free_port(first: int) -> int:
    """The port `first`, or the next free one."""
    from engine.cli.serving import listening_socket  # noqa: PLC0415 - not every benchmark starts an app

    with listening_socket(first) as listening:
        return int(listening.getsockname()[1])


def main(measure: Callable[[], list[Figure]]) -> None:
    """Print the figures of one benchmark; with a file name as argument, also write them as JSON."""
    figures = measure()
    for f in figures:
        beside = f"  {f.ratio:8.2f} x {f.of}" if f.ratio is not None else ""
        aim = f"   aim {f.aim}: {'met' if f.holds else 'NOT met'}" if f.aim else ""
        print(f"{f.name:52}{f.value:12,.2f} {f.unit}{beside}{aim}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps([asdict(f) for f in figures]))
