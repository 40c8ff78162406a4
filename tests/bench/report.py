"""Runs every benchmark in a process of its own and writes docs/performance.md: python -m tests.bench.report

With names, as in `python -m tests.bench.report bench_page`, only those are run, and their sections replaced.
Peers that are no dependency of ours take part where BENCH_PEERS names a folder of their benchmarks (one that takes
`plugin.py` in) and BENCH_PEERS_PYTHON an interpreter with what they need.
"""

import json
import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"

BENCHES = {
    "bench_log": "Reading a long log",
    "bench_append": "Appending",
    "bench_workspace": "Files",
    "bench_tool_call": "A small tool call",
    "bench_sandbox": "Holding a tool",
    "bench_startup": "Starting",
    "bench_page": "The page in Chromium: first picture and running answer",
    "bench_page_long": "The page in Chromium: long chats and histories",
    "bench_page_hours": "The page in Chromium: at rest, and after an hour",
}

METHOD = """
Every ratio is taken within one round, in which the contenders take turns; what stands here are medians over rounds. So
ratios hold on a busy machine, and times only tell what this one took. Logs are made from a seed
(`tests/bench/history.py`): real facts, ten chats alive at a time, 80 events each, and one chat scattered over the whole
log. Nothing here is asserted by the tests. `make bench` measures again and writes this page; one subject alone is
`python -m tests.bench.bench_append` and the like.

The page is measured in a headless Chromium, without a graphics card, against a server of its own on loopback; each of
its times is the median of several, from the click or key to the frame that shows it. Its chats are real turns of the
engine with calls and tables, repeated under new ids (`tests/bench/page_chats.py`). The scripted hour is 200 questions,
100 switches of panels and history, 50 reloads and 50 changes of chat; it, and what is used at rest, is measured once.

Floors: the scan is `SELECT sum(hash(payload)) FROM event_log`; the bare insert is one row of five columns into a DuckDB
table without index, chain or journal; `write + fdatasync` appends 500 bytes to a file; the walk is `scandir` with an
`lstat` of each entry. Git runs with its objects synced, as ours are.
"""


def main() -> None:
    """Measure all, or what is named, print as it goes, and write the page."""
    began = time.monotonic()
    load = os.getloadavg()[0]
    wanted = sys.argv[1:] or list(BENCHES)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "logs").mkdir()
        sections = {BENCHES[bench]: _section(bench, place) for bench in wanted}
        peers = _peers(place) if not sys.argv[1:] else None
    if sys.argv[1:]:
        page = _with_sections(PAGE.read_text(), sections)
    else:
        page = _page(sections, peers, load, os.getloadavg()[0], time.monotonic() - began)
    PAGE.write_text(_counted(page))
    print(f"\n{PAGE.relative_to(ROOT)} written.")


def _section(bench: str, place: Path) -> list[str]:
    """The lines of a benchmark's section, under its title."""
    load = os.getloadavg()[0]
    figures = _run(bench, place)
    return [
        "",
        f"Load average {load:.1f} before and {os.getloadavg()[0]:.1f} after, on {datetime.now(UTC):%Y-%m-%d}.",
        "",
        "| what | figure | beside | aim | |",
        "| --- | ---: | ---: | --- | --- |",
        *(_row(figure) for figure in figures),
    ]


def _with_sections(page: str, sections: dict[str, list[str]]) -> str:
    """The page with these sections in place of those of the same titles, or before the last one."""
    parts = page.rstrip("\n").split("\n## ")
    parts[0] = "\n".join([*parts[0].split("\n")[:5], METHOD])
    titles = [part.partition("\n")[0] for part in parts]
    for title, lines in sections.items():
        text = "\n".join([title, *lines]) + "\n"
        if title in titles:
            parts[titles.index(title)] = text
        else:
            parts.insert(-1, text)
            titles.insert(-1, title)
    return "\n## ".join(parts) + "\n"


def _counted(page: str) -> str:
    """The page with the count of aims that are met in its first sentence."""
    met, missed = page.count("| met |\n"), page.count("| **not met** |\n")
    return re.sub(r"^\S+ of \S+ aims are met", f"{met} of {met + missed} aims are met", page, flags=re.M)


def _run(bench: str, place: Path) -> list[dict[str, Any]]:
    print(f"\n{BENCHES[bench]}", flush=True)
    out = place / f"{bench}.json"
    command = [sys.executable, "-m", f"tests.bench.{bench}", str(out), str(place / "logs")]
    subprocess.run(command, check=True, cwd=ROOT)
    figures: list[dict[str, Any]] = json.loads(out.read_text())
    return figures


def _peers(place: Path) -> list[tuple[str, float, float]] | None:
    """Appending beside other stores, in their own harness: name, microseconds, ratio to write + fdatasync."""
    folder, python = os.environ.get("BENCH_PEERS"), os.environ.get("BENCH_PEERS_PYTHON")
    if not folder or not python:
        return None
    print("\nPeers", flush=True)
    copy = place / "peers"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("data", "results", "scratch", "env"))
    environ = os.environ | {"BENCH_PLUGIN": str(Path(__file__).with_name("plugin.py"))}
    subprocess.run([python, "bench_append.py", "5", "30"], check=True, cwd=copy, env=environ)
    found = json.loads((copy / "results" / "append.json").read_text())["single"]["results"]
    rows = [(name, row["p50"] * 1e6, row["ratio"]) for name, row in found.items()]
    return sorted(rows, key=lambda row: row[2])


def _page(
    sections: dict[str, list[str]],
    peers: list[tuple[str, float, float]] | None,
    load: float,
    load_after: float,
    seconds: float,
) -> str:
    lines = [
        "# Performance",
        "",
        "Written by `make bench`; not by hand.",
        "",
        f"0 of 0 aims are met in this run. {_machine()} Load average {load:.1f} before and "
        f"{load_after:.1f} after; the run took {seconds / 60:.0f} minutes.",
        METHOD.rstrip(),
    ]
    for title, section in sections.items():
        lines += ["", f"## {title}", *section]
    lines += ["", "## Peers", ""]
    if peers is None:
        lines.append(
            "Left out: pyeventsourcing and LangGraph are no dependency of ours, and `BENCH_PEERS` named none."
        )
    else:
        lines += [
            "One event, durable when the call returns, in the peers' own harness (100,000 events there before).",
            "",
            "| store | µs | beside write + fdatasync |",
            "| --- | ---: | ---: |",
            *(f"| {name} | {us:,.0f} | {ratio:.2f} |" for name, us, ratio in peers),
        ]
    return "\n".join(lines) + "\n"


def _row(figure: dict[str, Any]) -> str:
    value, unit = figure["value"], figure["unit"]
    shown = f"{value:,.2f}" if value < 10 else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
    beside = f"{figure['ratio']:.2f} x {figure['of']}" if figure["ratio"] is not None else ""
    verdict = {True: "met", False: "**not met**", None: ""}[figure["holds"]]
    return f"| {figure['name']} | {shown} {unit} | {beside} | {figure['aim']} | {verdict} |"


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d}: {_cpu()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()} {platform.release().split('-')[0]}; Python {platform.python_version()}, "
        f"DuckDB {version('duckdb')}, SQLite {sqlite3.sqlite_version}, pydantic {version('pydantic')}, {_git()}."
    )


def _cpu() -> str:
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _git() -> str:
    if shutil.which("git") is None:
        return "no git"
    return subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
