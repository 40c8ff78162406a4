"""Reading a long log: rebuilding the read models, a past state of one chat, the open chat, the chain, and its size.

python -m tests.bench.bench_log
"""

from pathlib import Path

from engine.system.gc_pause import garbage_collection_paused
from engine.views.chat_parts import chat_view
from engine.workspace.memory_blobs import MemoryBlobs
from events.duckdb_log import DuckDBLog
from events.log_files import DATABASE
from events.read_models import chat_reads
from tests.bench.harness import Figure, Timing, interleaved, logs, main
from tests.bench.history import BIG

SCAN = "the bare scan"
SCAN_SQL = "SELECT sum(hash(payload)) FROM event_log"
_FEW, _MANY = 6.6, 1.46
"""The aims for opening a chat: 8 ms and 60 ms on a machine that fetches the rows alone in 1.2 ms and 41 ms. They are
ratios, because this machine's speed varies by a factor of three.
"""


def rebuilding(log: DuckDBLog, label: str, *, most: float | None) -> list[Figure]:
    with log.reads.reader() as cursor:
        timed = interleaved(
            {SCAN: lambda: cursor.execute(SCAN_SQL).fetchall(), "rebuild": log.reads.rebuild},
            rounds=3,
            block=3,
        )
    return [
        timed[SCAN].figure(f"bare scan of {label}, sum(hash(payload))", SCAN),
        timed["rebuild"].figure(f"rebuild all read models of {label}", SCAN, most=most),
    ]


def chain(log: DuckDBLog) -> list[Figure]:
    hashing = "SELECT count(sha256(payload)) FROM event_log"
    with log.reads.reader() as cursor:
        timed = interleaved(
            {
                SCAN: lambda: cursor.execute(SCAN_SQL).fetchall(),
                "sha256": lambda: cursor.execute(hashing).fetchall(),
                "verify": log.verify,
            },
            rounds=3,
        )
    return [
        timed["sha256"].figure("only DuckDB's sha256 over the payloads", SCAN),
        timed["verify"].figure("verify the chain of a million", SCAN, most=8),
    ]


def one_chat(log: DuckDBLog, chat_id: str, at: int, label: str, most: float) -> list[Figure]:
    stream = f"chat-{chat_id}"
    rows = "SELECT position, payload FROM event_log WHERE stream = ? AND position <= ?"
    finding = "fetching only its rows"
    with log.reads.reader() as cursor:

        def view(at: int | None) -> object:
            own_reader = log.reads.reader()
            with garbage_collection_paused(), own_reader as own, chat_reads(own, chat_id, at=at) as read:
                found = chat_view(read, chat_id, lambda _: MemoryBlobs(), at=at)
            assert found is not None
            return found

        timed: dict[str, Timing] = interleaved(
            {
                finding: lambda: cursor.execute(rows, [stream, at]).fetchall(),
                "past": lambda: view(at),
                "open": lambda: view(None),
                "stream": lambda: log.read_stream(stream),
            },
            rounds=5,
            block=3,
        )
    return [
        timed[finding].figure(f"fetch the rows of a chat of {label}", finding),
        timed["past"].figure(f"past state of a chat of {label}", finding, most=most),
        timed["open"].figure(f"open a chat of {label} in its current state", finding, most=most),
        timed["stream"].figure(f"fold the chat's stream: fetch and decode {label}", finding),
    ]


def size(home: Path, label: str, *, aimed: bool) -> Figure:
    bytes_, raw = (home / DATABASE).stat().st_size, int((home / "raw").read_text())
    events = int(home.name)
    ratio = bytes_ / raw
    of = f"{raw / events:.0f} raw bytes"
    aim = "≤ 0.8 x raw" if aimed else ""
    return Figure(
        f"bytes per event of {label}, with indexes and read models",
        bytes_ / events,
        "bytes",
        ratio,
        of,
        aim,
        ratio <= 0.8 if aimed else None,
    )


def measure() -> list[Figure]:
    with logs() as at:
        small, large = at(100_000), at(1_000_000)
        figures = [size(small, "100,000", aimed=False), size(large, "a million", aimed=True)]
        hundred = DuckDBLog(small)
        figures += rebuilding(hundred, "100,000", most=None)
        hundred.close()
        log = DuckDBLog(large)
        with log.reads.reader() as cursor:
            found = cursor.execute(
                "SELECT stream, max(position) FROM event_log WHERE position BETWEEN 500_000 AND 600_000 "
                "AND version = 75 GROUP BY 1 ORDER BY 2 LIMIT 1"
            ).fetchall()
        figures += one_chat(log, found[0][0].removeprefix("chat-"), found[0][1], "75 events", _FEW)
        figures += one_chat(log, BIG, log.head(), "5,000 events scattered over the log", _MANY)
        figures += chain(log)
        figures += rebuilding(log, "a million", most=4)
        log.close()
    return figures


if __name__ == "__main__":
    main(measure)
