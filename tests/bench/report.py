"""Runs every benchmark in a process of its own and writes docs/performance.md: python -m tests.bench.report

With names, as in `python -m tests.bench.report bench_page peers`, only those are run, and their sections replaced.
Peers that are no dependency of ours take part where BENCH_PEERS names a folder of their benchmarks (one that takes
`plugin.py` in) and BENCH_PEERS_PYTHON an interpreter with what they need.
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
    "bench_context": "What a long chat sends to its model",
    "bench_past": "What the past costs",
    "bench_memory": "Memory over 10,000 questions",
    "bench_tables": "A question about a large CSV",
    "bench_links": "A question about files that stay where they are",
    "bench_sources": "A question to a database",
    "bench_compare": "Comparing two tables",
    "bench_replay": "Running recorded calls again",
    "bench_python": "Python code",
    "bench_charts": "A picture of a chart",
    "bench_sandbox": "Holding a tool",
    "bench_startup": "Starting",
    "bench_page": "The page in Chromium: first picture and running answer",
    "bench_page_long": "The page in Chromium: long chats and histories",
    "bench_page_hours": "The page in Chromium: at rest, and after an hour",
}

METHOD = """
Each ratio is measured within one round, in which the programs take turns; the figures are medians over all rounds.
Ratios are therefore valid on a busy machine too, while times only describe this machine. Logs are generated from a seed
(`tests/bench/history.py`): real events, ten active chats at a time with 80 events each, and one chat scattered over the
whole log. The tests do not check these figures. `make bench` measures again and writes this page;
`python -m tests.bench.bench_append` and similar commands measure one subject.

The page is measured in a headless Chromium, without a graphics card, against a separate server on loopback. Each time
is the median of several, from the click or key to the frame that shows the result. The chats are real turns of the
engine with calls and tables, repeated under new ids (`tests/bench/page_chats.py`). The scripted hour has 200 questions,
100 switches of panels and history, 50 reloads and 50 changes of chat; it is measured once, as is the use of resources
at rest.

Floors: the scan is `SELECT sum(hash(payload)) FROM event_log`; the bare insert is one row of five columns into a DuckDB
table without index, chain or journal; `write + fdatasync` appends 500 bytes to a file; the walk is `scandir` with an
`lstat` of each entry. Git runs with its objects synced, as ours are.
"""

NOTES = {
    "bench_startup": """
What is loaded, and when:

- `--help`: typer and the modules of all commands, for their first lines. No engine, no DuckDB.
- One command: only its own module, also within a group (`chat list`).
- Beside a running app: the classes of the command that is sent, and Python's own HTTP client. The app answers; no
  engine is loaded.
- Alone, a list of chats: DuckDB and the events, to open the log and recover what a crash cut off. Everything else: the
  engine, which also compares the shipped toolsets with the installed ones (about 90 ms). About 250 ms of it are some
  600 dataclasses: Python writes and compiles the methods of each when its module is imported.
- When first needed: httpx (a model, a download), numpy and pyarrow (an export, a folder of Parquet parts), the offline
  analyst (a question to it), the matcher of numbers (an answer), markdown-it (a report), sqlglot (a source, *Which
  rows?*), the MCP SDK (a server). `tests/architecture/test_loads.py` holds the commands to this.
- `serve`: Streamlit, the engine and the page's modules. A second after the first page: what tools need, FastAPI with
  the routes of the API, and pandas. altair waits for the first chart.
""",
    "bench_sources": """
Each question has a fixed cost of about 85 ms in addition to the query: a confined process, connecting, recording the
call. So the aim is met if the query takes the database some 0.3 s or longer, and missed by quicker ones. Before
(2026-11-26, commit 55f21554) the fixed cost was 180 ms, because each process loaded the driver and the SQL parser,
and the rows were written to Parquet twice: a question took 2.7 times a bare client for 10 rows of 1,000,000, and 2.9
times for 200,000 rows. The cluster's driver and workers share the two cores with DuckDB here, so it can only be
slower.
""",
    "bench_past": """
One log has chats of 20, 200 and 2,000 turns, each turn with a query, and ten other chats of 20 turns. The model answers
at once and nothing is sent over the network, so these figures show only Anabranch's own work. A request to a provider
contains every message (or a summary of the older ones), so the time to write and send it grows with the chat; that is
not included. The bytes are those that were passed to the system to write; most of them are written when the log comes
to rest after the turn. Before (2026-11-23, commit 901727a): at turn 2,000 a question answered at once took 8.6 times
the processor time of one at turn 20, and one with a query 8.7 times. The view of that chat took 543 ms after an event
in it and 556 ms after an event in another chat, 15 and 17 times as long as for a chat of 20 turns. Now an event in
another chat leaves that view unchanged; the time that remains is the event itself and adding up the costs of 2,000
turns. A fork took 169 ms until its events were searched for secrets all at once. While at most 12,000 events were
kept in memory (commit 70bf711), a question at turn 2,000 cost 10.7 times one at turn 20: that chat has 22,000 events,
and was read again whenever another chat was used in between. Now the four chats that were used last are kept in
memory, however long they are.
""",
    "bench_memory": """
The chats have no files, and the model answers at once: each question makes five events. Memory grew by 23 MB between
4,000 and 10,000 questions. When this was looked into (2026-11-25, 25 MB), 12 MB were pages of the log's database,
which grew from 24,000 to 54,000 events: DuckDB keeps what it has read, up to its own limit of four fifths of the
machine's memory. 7 MB were held by the C library, less than half of them in use. 5 MB were Python objects: the states
of chats, which had more events by then. Before (2026-11-25, commit 0bf6cdf) memory grew from 227 to 312 MB, 1.37
times: the last request of each chat stayed in memory after the chat's state was dropped, 2,000 messages for every
1,000 questions. Now the request is dropped with the state. Another cause was fixed after this measurement: the limit
counted an empty chat like 50 events, although it takes as much memory as 2, so few events were kept while chats were
short. An empty chat now counts like 3.
""",
    "bench_tables": """
Why the two aims are missed for a file of 31 MB, with the parts of each call at their fastest (2026-11-23):

- **The next query, 74 ms.** 11 ms are the SQL. 26 ms are the rest of the tool process: confining it, importing the
  tool's own modules, opening and locking the tables, saving the result. 9 ms pass until that process and all that it
  started are gone, which must be so before its files are recorded. 19 ms are three transactions: the call was asked
  for, it started, it ended. Syncing the journal is 1 ms of them; the rest is DuckDB's own commits and the read models.
  7 ms bring the workspace folder and the table catalog up to date. DuckDB beside it has none of this and spends 20 to
  25 ms of its 42 on opening a database, which our host does before the call. All but the SQL takes the same time for
  files of any size, so the ratio falls as files grow. At 31 MB the aim could only be met without a process for each
  call, or without the record that a call started.
- **The first query, 490 ms.** 235 ms read the rows, check that each value is exactly what its column's format says, and
  write Parquet: alone, 1.2 to 1.5 times DuckDB's own reading, at 31 and at 105 MB, in several runs. 55 ms find the
  encoding, the header and the columns' types. The remaining 200 ms are two confined processes, the transactions, and
  the query itself. Answering from a table in memory and writing the Parquet file afterwards would save 15 to 50 ms:
  loading the checked rows into a DuckDB table takes nearly as long as writing them. It would also run a toolset's code
  in the process whose tables every later call trusts. So the table is written first, and an entry of the cache appears
  only when it is whole.
""",
}
"""What is to be said below a section's figures."""


def main() -> None:
    """Measure all, or what is named, print as it goes, and write the page."""
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
    """The lines of a benchmark's section, under its title."""
    load, loop = os.getloadavg()[0], _loop()
    figures = _run(bench, place)
    return [
        f"On {datetime.now(UTC):%Y-%m-%d}, load average {load:.1f} before and {os.getloadavg()[0]:.1f} after; "
        f"a million turns of a Python loop took {loop:.0f} ms.",
        "",
        "| what | figure | beside | aim | |",
        "| --- | ---: | ---: | --- | --- |",
        *(_row(figure) for figure in figures),
        *NOTES.get(bench, "").rstrip("\n").split("\n"),
    ]


def _loop() -> float:
    """Milliseconds that this machine takes for a million multiplications now: its speed, to compare figures by."""
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
    """Appending beside other stores, in their own harness."""
    folder, python = os.environ.get("BENCH_PEERS"), os.environ.get("BENCH_PEERS_PYTHON")
    if not folder or not python:
        return [
            "Left out: pyeventsourcing and LangGraph are no dependency of ours, and `BENCH_PEERS` named none."
        ]
    print("\nPeers", flush=True)
    copy = place / "peers"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("data", "results", "scratch", "env"))
    environ = os.environ | {"BENCH_PLUGIN": str(Path(__file__).with_name("plugin.py"))}
    subprocess.run([python, "bench_append.py", "5", "30"], check=True, cwd=copy, env=environ)
    found = json.loads((copy / "results" / "append.json").read_text())["single"]["results"]
    rows = sorted((row["ratio"], name, row["p50"] * 1e6) for name, row in found.items())
    return [
        "One event, durable when the call returns, in the peers' own harness (100,000 events there before).",
        "",
        "| store | µs | beside write + fdatasync |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {us:,.0f} | {ratio:.2f} |" for ratio, name, us in rows),
    ]


def _page(sections: dict[str, list[str]]) -> str:
    """The page: its head counts the aims over all sections, and each says when it was measured."""
    rows = [line for lines in sections.values() for line in lines]
    met = sum(line.endswith("| met |") for line in rows)
    missed = sum(line.endswith("| **not met** |") for line in rows)
    head = [
        "# Performance",
        "",
        f"Written by `make bench`; not by hand. {met} of {met + missed} aims are met. {_machine()}",
        "Each section says when it was measured, and how fast and how busy the machine was then: it is a virtual one, "
        "whose speed changes by a factor of three.",
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
