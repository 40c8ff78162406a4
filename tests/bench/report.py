"""Runs every benchmark in a separate process and writes docs/performance.md: python -m tests.bench.report

With names, as in `python -m tests.bench.report bench_page peers`, only these benchmarks run, and their sections are
replaced. Peers are not dependencies of Anabranch. They are measured if BENCH_PEERS names a folder with their benchmarks
(one that loads `plugin.py`) and BENCH_PEERS_PYTHON names an interpreter with their packages.
"""

import json
import os
import platform
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
    "bench_context": "Requests of a long chat",
    "bench_past": "The cost of a long history",
    "bench_memory": "Memory over 10,000 questions",
    "bench_tables": "A question about a large CSV",
    "bench_links": "A question about linked files",
    "bench_sources": "A question to a database",
    "bench_compare": "Comparing two tables",
    "bench_replay": "Running recorded calls again",
    "bench_python": "Python code",
    "bench_charts": "Drawing a chart",
    "bench_sandbox": "Confining a tool",
    "bench_startup": "Starting",
    "bench_page": "The page in Chromium: first page and streaming answer",
    "bench_page_long": "The page in Chromium: long chats and histories",
    "bench_page_hours": "The page in Chromium: at rest, and after an hour",
}

METHOD = """
This page compares the times of Anabranch with baselines: the simplest programs that do the same work, or other tools.
An aim is a time or a ratio that we want to reach.

Each ratio is measured within one round, in which the compared programs take turns; the figures are medians over all
rounds. Ratios are therefore valid on a busy machine too, while times only describe this machine. Logs are generated
from a seed (`tests/bench/history.py`), with events of the app's own types. Ten chats at a time are active, with about
80 events each; the events of one more chat are scattered over the whole log. The tests do not check these figures.
`make bench` measures everything again and writes this page; commands such as `python -m tests.bench.bench_append` run
one benchmark.

The page is measured in headless Chromium, without a graphics card, against a server in a separate process on the same
machine. Each time is the median of several runs, from the click or key press to the frame that shows the result. The
chats consist of real turns with calls and tables, repeated under new ids (`tests/bench/page_chats.py`). In the scripted
hour, 200 questions are asked, a panel or the history is opened or closed 100 times, the page is reloaded 50 times, and
the chat is changed 50 times. The hour is measured once, and so is the use of resources at rest.

The baselines: the bare scan is `SELECT sum(hash(payload)) FROM event_log`; the bare insert adds one row of five columns
to a DuckDB table without index, chain or journal; `write + fdatasync` appends 500 bytes to a file and syncs it; the
walk is `scandir` with an `lstat` of each entry. Git is set to sync its objects to disk, as Anabranch does.
"""

NOTES = {
    "bench_startup": """
Modules are loaded as follows:

- `--help`: Click and the list of commands. The commands themselves, the engine, DuckDB and pydantic are not loaded.
- One command: only its own module, even if the command is in a group (`chat list`).
- While the app is running: the classes of the command that is sent, and Python's own HTTP client. The app carries out
  the command, so no engine is loaded. Pydantic is only loaded if a command or its result contains more than JSON.
- If the app is not running, for a list of chats: DuckDB and the log, to open it and to recover it after a crash. The
  event types and pydantic are only loaded if events are decoded. For any other command: the engine, which also compares
  the shipped toolsets with the installed ones (about 90 ms). Python would spend another 300 ms on writing and compiling
  the methods of some 550 dataclasses; for the classes of the events and the engine, they are written when a class is
  first used (`events/late_dataclass.py`).
- When first needed: httpx (for a model or a download), numpy and pyarrow (for an export or a folder of Parquet parts),
  the offline analyst (for a question to it), the tracing of numbers (for an answer), markdown-it (for a report),
  sqlglot (for a source or *Which rows?*) and the MCP SDK (for a server). `tests/architecture/test_loads.py` checks this
  for the commands.
- `serve`: Streamlit. Then, in a thread, while the server answers and the browser loads Streamlit's page: the engine,
  the data folder and the modules of the first page. Until they are loaded, the page says that the data folder is being
  opened, and already takes a question. One second after the first page: the modules of all other pages and of the
  tools, FastAPI with the routes of the API, and pandas. A reload in these seconds is slower. altair is loaded for the
  first chart.
""",
    "bench_sources": """
Each question has a fixed cost of about 85 ms in addition to the query: confining a process, connecting, and recording
the call. So the aim is met if the query takes the database about 0.3 s or longer, and missed if it is faster. At commit
55f21554 (2026-11-26), the fixed cost was 180 ms, because each process loaded the driver and the SQL parser, and the
rows were written to Parquet twice: a question took 2.7 times as long as a bare client for 10 rows of 1,000,000, and 2.9
times for 200,000 rows. The driver and the workers of Sail's cluster have the same two cores as DuckDB, so the cluster
can only be slower.
""",
    "bench_past": """
One log contains chats of 20, 200 and 2,000 turns, each turn with a query, and ten other chats of 20 turns. The model
needs no time and nothing is sent over the network, so these figures show only Anabranch's own work. A question
“answered at once” is one that the model answers without a query. A request to a provider contains every message (or a
summary of the older ones), so the time to write and send it grows with the chat; that is not included. The bytes
written are the bytes that were passed to the operating system; most of them are written after the turn, when the log is
idle.

At commit 901727a (2026-11-23), a question that is answered at once took 8.6 times as much processor time at turn 2,000
as at turn 20, and a question with a query 8.7 times as much. The view of the chat of 2,000 turns took 543 ms after an
event in it and 556 ms after an event in another chat, 15 and 17 times as long as for a chat of 20 turns. Now an event
in another chat leaves that view unchanged; the time that remains is spent on the event itself and on adding up the
costs of 2,000 turns. A fork took 169 ms when its events were searched for secrets one by one; now they are searched
together.

While at most 12,000 events were kept in memory (commit 70bf711), a question at turn 2,000 cost 10.7 times as much as at
turn 20: the chat of 2,000 turns has 22,000 events, and was read again whenever another chat was used in between. Now
the four chats that were used last are kept in memory, however long they are.
""",
    "bench_memory": """
The chats have no files, and the model answers at once: each question creates five events. Memory grew by 23 MB between
4,000 and 10,000 questions. In an earlier run (2026-11-25), it grew by 25 MB. 12 MB of these were pages of the log's
database, which grew from 24,000 to 54,000 events: DuckDB keeps the pages that it has read, up to its own limit of four
fifths of the machine's memory. 7 MB were reserved by the C library, and less than half of them were in use. 5 MB were
Python objects: the states of chats, which had more events by then.

At commit 0bf6cdf (2026-11-25), memory grew from 227 to 312 MB, which is 1.37 times as much: the last request of each
chat stayed in memory after the chat's state was dropped, 2,000 messages for every 1,000 questions. Now the request is
dropped with the state. Another cause of the growth was fixed after that measurement. The limit on events kept in memory
counted every chat as 50 events more than it has, although an empty chat takes only as much memory as 2 events.
Therefore few events were kept while chats were short, and more as they became longer. An empty chat now counts as 3
events.
""",
    "bench_tables": """
Both aims are missed for a file of 31 MB, for these reasons. The times below are the fastest of each part (2026-11-23),
so they are shorter than the medians in the table:

- **The next query, 74 ms.** The SQL takes 11 ms. The rest of the tool process takes 26 ms: confining it, importing the
  tool's own modules, opening and locking the tables, saving the result. It takes 9 ms until that process and all its
  children have ended, which must happen before its files are recorded. Three transactions take 19 ms: the call was
  requested, it started, it ended. Syncing the journal is 1 ms of this; the rest is DuckDB's own commits and the read
  models. Bringing the workspace folder and the table catalog up to date takes 7 ms. DuckDB by itself does none of this,
  and spends 20 to 25 of its 42 ms on opening a database, which Anabranch does before the call. Everything except the
  SQL takes the same time for files of any size, so the ratio falls as files grow. At 31 MB, the aim could be met only
  without a process for each call, or without recording that a call started.
- **The first query, 490 ms.** Reading the rows, checking that each value is exactly in its column's format, and writing
  Parquet take 235 ms. This part takes 1.2 to 1.5 times as long as DuckDB's own reading, at 31 and at 105 MB, in several
  runs. Finding the encoding, the header and the types of the columns takes 55 ms. The remaining 200 ms are two confined
  processes, the transactions, and the query itself. Answering from a table in memory and writing the Parquet file
  afterwards would save only 15 to 50 ms, because loading the checked rows into a DuckDB table takes nearly as long as
  writing them. Also, the code of a toolset (the query tool) would then run in the same process that writes the Parquet
  file, and every later call trusts that file. So the table is written first, and an entry appears in the cache only
  when it is complete.
""",
}
"""The text below the figures of a section."""


def main() -> None:
    """Run all benchmarks or the named ones, print the figures, and write the page."""
    wanted = sys.argv[1:] or [*BENCHES, "peers"]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "logs").mkdir()
        sections = {BENCHES[bench]: _section(bench, place) for bench in wanted if bench != "peers"}
        if "peers" in wanted:
            sections["Peers"] = _peers(place)
    if sys.argv[1:] and PAGE.exists():
        sections = _sections(PAGE.read_text()) | sections
    PAGE.write_text(_page(sections))
    print(f"\n{PAGE.relative_to(ROOT)} written.")


def _section(bench: str, place: Path) -> list[str]:
    """Return the lines of a benchmark's section, without its title."""
    load, loop = os.getloadavg()[0], _loop()
    figures = _run(bench, place)
    return [
        f"On {datetime.now(UTC):%Y-%m-%d}, load average {load:.1f} before and {os.getloadavg()[0]:.1f} after; "
        f"a million iterations of a Python loop took {loop:.0f} ms.",
        "",
        "| measurement | figure | compared with | aim | |",
        "| --- | ---: | ---: | --- | --- |",
        *(_row(figure) for figure in figures),
        *(NOTES[bench].rstrip("\n").split("\n") if bench in NOTES else ()),
    ]


def _loop() -> float:
    """Return the milliseconds that a million multiplications take now, to compare the speed of the machine."""
    began, total = time.perf_counter(), 0
    for turn in range(1_000_000):
        total += turn * turn
    return (time.perf_counter() - began) * 1000


def _sections(page: str) -> dict[str, list[str]]:
    """The sections of a page, by title."""
    parts = [part.strip("\n").split("\n") for part in page.split("\n## ")[1:]]
    return {title: lines[1:] for title, *lines in parts}


def _run(bench: str, place: Path) -> list[dict[str, Any]]:
    print(f"\n{BENCHES[bench]}", flush=True)
    out = place / f"{bench}.json"
    command = [sys.executable, "-m", f"tests.bench.{bench}", str(out), str(place / "logs")]
    subprocess.run(command, check=True, cwd=ROOT)
    figures: list[dict[str, Any]] = json.loads(out.read_text())
    return figures


def _peers(place: Path) -> list[str]:
    """Measure appending to other stores, with the benchmark in the folder `BENCH_PEERS`."""
    folder, python = os.environ.get("BENCH_PEERS"), os.environ.get("BENCH_PEERS_PYTHON")
    if not folder or not python:
        return [
            "Not measured: pyeventsourcing and LangGraph are not dependencies of the app, and `BENCH_PEERS` is not set."
        ]
    print("\nPeers", flush=True)
    copy = place / "peers"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("data", "results", "scratch", "env"))
    environ = os.environ | {"BENCH_PLUGIN": str(Path(__file__).with_name("plugin.py"))}
    subprocess.run([python, "bench_append.py", "5", "30"], check=True, cwd=copy, env=environ)
    found = json.loads((copy / "results" / "append.json").read_text())["single"]["results"]
    rows = sorted((row["ratio"], name, row["p50"] * 1e6) for name, row in found.items())
    return [
        "The time to append one event to a store of 100,000, in Anabranch and in other stores, measured by a separate",
        "benchmark that is not part of this project (`BENCH_PEERS`). The event is durable when the call returns,",
        "unless noted.",
        "",
        "| store | µs | compared with write + fdatasync |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {us:,.0f} | {ratio:.2f} |" for ratio, name, us in rows),
    ]


def _page(sections: dict[str, list[str]]) -> str:
    """Return the page. Its head counts the aims of all sections."""
    rows = [line for lines in sections.values() for line in lines]
    met = sum(line.endswith("| met |") for line in rows)
    missed = sum(line.endswith("| **not met** |") for line in rows)
    head = [
        "# Performance",
        "",
        f"Generated by `make bench`; do not edit. {met} of {met + missed} aims are met. {_machine()}",
        "Most sections say when they were measured, and how busy and how fast the machine was then: it is a virtual "
        "machine whose speed varies by a factor of three.",
        METHOD.rstrip("\n"),
    ]
    for title, lines in sections.items():
        head += ["", f"## {title}", "", *lines]
    return "\n".join(head) + "\n"


def _row(figure: dict[str, Any]) -> str:
    value, unit = figure["value"], figure["unit"]
    shown = f"{value:,.2f}" if value < 10 else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
    beside = f"{figure['ratio']:.2f} x {figure['of']}" if figure["ratio"] is not None else ""
    verdict = {True: "met", False: "**not met**", None: ""}[figure["holds"]]
    return f"| {figure['name']} | {shown} {unit} | {beside} | {figure['aim']} | {verdict} |"


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"The machine: {_cpu()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
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
