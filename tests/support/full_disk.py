"""Uses a log on a disk that fills up and then has free space again.

Run as `python -m tests.support.full_disk FOLDER FREE`. FOLDER is a small file system, which is filled until FREE bytes
are left while the log is in use. Prints what happened, as JSON.
"""

import json
import os
import sys
from pathlib import Path

from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.log import Append, LogError

__all__ = ["main"]

_TITLE = "x" * 900
_MOST = 4_000


def _append(log: DuckDBLog, number: int) -> None:
    log.append(Append("chat-a", [ChatCreated(title=f"{number} {_TITLE}")]))


def _fill(folder: Path, free: int) -> None:
    """Fill the disk until about `free` bytes are left, in steps of 4,096 bytes."""
    found = os.statvfs(folder)
    size = found.f_bavail * found.f_frsize - free
    with (folder / "filler").open("wb") as filler:
        for _ in range(max(0, size) // 4096):
            filler.write(bytes(4096))


def main(folder: Path, free: int) -> dict[str, object]:
    """Fill the disk, append to the log until this fails, free space, and append again; return what happened."""
    log = DuckDBLog(folder / "data")
    for number in range(40):
        _append(log, number)
    log.checkpoint()
    for number in range(40, 60):
        _append(log, number)
    _fill(folder, free)
    acknowledged, refusals, recorded = 60, list[str](), 0
    for number in range(60, _MOST):
        try:
            _append(log, number)
            acknowledged += 1
            if number % 7 == 0:
                log.checkpoint()
        except LogError as error:
            refusals.append(str(error))
            recorded += bool(getattr(error, "recorded", False))
            if len(refusals) == 5:
                break
    read_meanwhile = len(list(log.read_all()))
    told = log.problem
    (folder / "filler").unlink()
    _append(log, _MOST)  # works at once, in the same process and with the same log object
    found = log.verify()
    events = [record.event for record in log.read_all()]
    after = {"ok": found.ok, "events": len(events), "problem": log.problem}
    log.close()
    again = DuckDBLog(folder / "data")
    after["reopened"] = again.head()
    after["verified"] = again.verify().ok
    live = again.reads.registers()
    again.reads.rebuild()
    after["projected"] = again.reads.registers() == live
    again.close()
    return {
        "acknowledged": acknowledged,
        "refusals": refusals,
        "recorded": recorded,
        "read_meanwhile": read_meanwhile,
        "told": told,
        **after,
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
