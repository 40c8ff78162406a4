"""Runs the long trials of what is never lost and writes docs/reliability.md: python -m tests.faults.page [NAME …]

With names, only those trials are run; the others keep the results that stand on the page.
"""

import json
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import duckdb

__all__ = ["PAGE", "RESULTS", "TRIALS", "Trial", "main", "page"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
RESULTS = Path(__file__).with_name("results.json")


@dataclass(frozen=True, slots=True)
class Trial:
    """One way in which a promise is tried."""

    name: str
    promise: str
    how: str
    every_run: str
    long_run: str
    tests: str
    """What pytest is told to run."""


TRIALS = (
    Trial(
        "kills",
        "Acknowledged events survive a killed process; no effect happens twice; work continues.",
        "A worker asks, calls tools, uploads, installs, rebuilds, and is killed (SIGKILL) at a random instant.",
        "24 kills",
        "1,000 kills",
        "tests/faults/test_crashes.py",
    ),
    Trial(
        "flips",
        "A damaged bit is repaired or reported, never silent.",
        "One bit of any file of a folder with five chats: database, write-ahead log, journal, second copy, contents, "
        "code of toolsets and its copies, cached tables, the mark in the configuration folder.",
        "12 flips",
        "1,000 flips",
        "tests/faults/test_any_flip.py",
    ),
    Trial(
        "full disk",
        "After a full disk, recording resumes by itself when there is space; reading works meanwhile.",
        "A small file system is filled up to its last 0 to 2,000,000 bytes; then space is freed, and nothing else.",
        "3 levels",
        "12 levels",
        "tests/faults/test_full_disk.py",
    ),
    Trial(
        "live copies",
        "A folder that was copied file by file while the app was working is complete, or reports what is missing.",
        "`cp -r` while a worker writes; the copy is opened, verified, rebuilt and checked.",
        "3 copies",
        "30 copies",
        "tests/faults/test_live_copies.py",
    ),
    Trial(
        "replaced logs",
        "An older, different or rewritten log in place of the original is detected.",
        "An older copy with its journal; a history with recomputed hashes; a database deleted beside full "
        "chats; another log; journal and write-ahead log both damaged.",
        "all of them",
        "the same",
        "tests/events/test_anchor.py",
    ),
    Trial(
        "failing calls",
        "A failed system call is reported, and leaves the log complete up to an event, with nothing half-done.",
        "The Nth write, sync, rename or unlink fails, for every N, once or from then on.",
        "every 51st to 291st call",
        "every call",
        "tests/faults/test_syscall_faults.py",
    ),
)

HEAD = """# Reliability: what is never lost, and how that is tested

Written by `python -m tests.faults.page`; not by hand. `make test` runs the short form of each trial, `make long` the long one.

| Promise | How it is tested | In each test run | Long run | Last long run |
| --- | --- | --- | --- | --- |
"""  # noqa: E501

TAIL = """
A trial passes only if every run in it passes: no acknowledged event is missing, every content matches its hash, read
models equal rebuilt ones, and everything that was lost is listed.

## What detects or repairs damage

| damage | what detects or repairs it |
| --- | --- |
| a changed, missing or swapped event | the hash chain: `anabranch log verify` |
| a tail that the database lost | the journal, at each start; else the second copy in `kept-journal/` |
| a checkpoint that was cut off while the database's metadata was written | the copy in `anabranch.duckdb.metadata`, at each start |
| a block that nothing but a checkpoint reads | the refused checkpoint, told after the turn; `anabranch log salvage FOLDER` |
| a database that cannot be opened otherwise | `anabranch log salvage FOLDER`, from the second copy, the journals and the readable blocks |
| an older, another or a rewritten log | the mark in the configuration folder, at each start and by `log verify`; `log accept` continues from it |
| both folders rewritten | a checkpoint that somebody else keeps: `log checkpoint`, `log verify --against FILE` |
| a missing or damaged content | `anabranch check`; storing the same content again repairs it |
| a changed file of a toolset | each call; `anabranch toolset restore ID` |
| a damaged cache | is rebuilt |

## What is not promised

- **Power loss** was not tried on real hardware. Each acknowledged batch was synced to the disk; a disk that lies about that can lose it.
- **The mark does not cover events since the end of the last turn.** If the database and the journal are both damaged so
  that nothing refers to those events, they are lost without a trace.
- **Anyone who can write to both the data folder and the configuration folder** can rewrite both. Keep a checkpoint
  elsewhere.
- **Files of a chat have one copy** (a large file has one for all chats that contain it). A damaged content is reported,
  not restored. Back up the folder; `anabranch check` says whether a copy is complete.
- **A copy made while the app is working** may lack contents of the running turn; `check` lists them.
- Network file systems, Windows and macOS were not tested.
"""  # noqa: E501


def page(results: dict[str, str]) -> str:
    """Return the page with what the last long runs gave, by trial."""
    rows = [
        f"| {t.promise} | {t.how} (`{t.tests}`) | {t.every_run} | {t.long_run} | {results.get(t.name, 'not run')} |\n"
        for t in TRIALS
    ]
    return HEAD + "".join(rows) + TAIL


def run(trial: Trial) -> str:
    """Run a trial's tests, the long ones too, and say what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [
            "-q",
            "-n",
            "2",
            "--timeout",
            "7200",
            "-m",
            "long or not long",
            f"--junitxml={report}",
            trial.tests,
        ]
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, check=False)
        suite = next(ElementTree.parse(report).getroot().iter("testsuite"))
    count = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
    failed = count["failures"] + count["errors"]
    passed = count["tests"] - failed - count["skipped"]
    skipped = f", {count['skipped']} not run here" if count["skipped"] else ""
    today = datetime.now(UTC).date()
    machine = f"{platform.system()}, Python {platform.python_version()}, DuckDB {duckdb.__version__}"
    return f"{today}: {passed} tests passed, {failed} failed{skipped} ({machine})"


def main() -> None:
    """Run the trials that are named, or all, and write the page."""
    results: dict[str, str] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    named = set(sys.argv[1:])
    unknown = named - {trial.name for trial in TRIALS} - {"none"}
    if unknown:
        sys.exit(
            f"There is no trial {', '.join(sorted(unknown))}. There are: {', '.join(t.name for t in TRIALS)}."
        )
    for trial in TRIALS:
        if not named or trial.name in named:
            results[trial.name] = run(trial)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    PAGE.write_text(page(results))


if __name__ == "__main__":
    main()
