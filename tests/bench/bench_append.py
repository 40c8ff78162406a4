"""Appending durably: one event, one with all read models in a log of a million events, and a thousand.

python -m tests.bench.bench_append
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable
from datetime import datetime
from itertools import count
from pathlib import Path

import duckdb

from events.catalog.chat import MessageAdded
from events.catalog.parts import TextPart
from events.chain import new_salt
from events.codec import encode
from events.duckdb_log import DuckDBLog
from events.identity import UuidV7, utc_now
from events.journal import Journal
from events.log import Append
from events.projector import Projector
from events.stored_row import GENESIS
from tests.bench.harness import Figure, interleaved, logs, main

TEXT = "The mean body mass of the Gentoo penguins is 5,076 g, a third more than that of the others. " * 4
NOW = datetime(2026, 1, 5)  # noqa: DTZ001 - DuckDB's TIMESTAMP has no zone
PREFILLED = 100_000
FLOOR, BARE = "write + fdatasync", "bare DuckDB insert"

_id = UuidV7()
_chat = f"chat-{_id()}"


class Unprojected(Projector):
    """Updates no read model, to measure the cost of appending only."""

    def apply(self, *_: object) -> None:
        """Do nothing."""


def message() -> MessageAdded:
    return MessageAdded(message_id=_id(), parent_id=None, role="user", parts=(TextPart(text=TEXT),))


def floor(place: Path, bytes_: int) -> Callable[[], object]:
    file = (place / f"floor{bytes_}").open("wb", buffering=0)
    record = os.urandom(bytes_)

    def write() -> None:
        file.write(record)
        os.fdatasync(file.fileno())

    return write


def bare(place: Path) -> Callable[[], object]:
    connection = duckdb.connect(str(place / "bare.duckdb"))
    connection.execute(
        "CREATE TABLE log (position BIGINT, ts TIMESTAMP, stream VARCHAR, type VARCHAR, payload JSON)"
    )
    connection.execute(
        "INSERT INTO log SELECT i, TIMESTAMP '2026-01-05', 'chat-' || (i // 80), 'MessageAdded', "
        "json_object('text', ? || i) FROM range(?) t(i)",
        [TEXT, PREFILLED],
    )
    connection.execute("CHECKPOINT")
    position = count(PREFILLED)
    sql = "INSERT INTO log VALUES (?, ?, ?, ?, ?)"
    return lambda: connection.execute(
        sql, [next(position), NOW, _chat, "MessageAdded", f'{{"text":"{TEXT}"}}']
    )


def sqlite(place: Path) -> Callable[[], object]:
    connection = sqlite3.connect(place / "peer.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(
        "CREATE TABLE log (position INTEGER PRIMARY KEY, ts TEXT, stream TEXT, type TEXT, payload TEXT)"
    )
    sql = "INSERT INTO log VALUES (?, ?, ?, ?, ?)"
    rows = ((i, str(NOW), f"chat-{i // 80}", "MessageAdded", TEXT) for i in range(PREFILLED))
    connection.execute("BEGIN")
    connection.executemany(sql, rows)
    connection.execute("COMMIT")
    connection.execute("CREATE INDEX by_stream ON log (stream, position)")
    position = count(PREFILLED)
    return lambda: connection.execute(sql, (next(position), str(NOW), _chat, "MessageAdded", TEXT))


def journal(place: Path) -> Callable[[], object]:
    opened = Journal(place / "journal")
    opened.restart(0)
    facts = {"version": 1, "event_id": _id(), "correlation_id": None, "causation_id": None}
    row = encode(
        message(), **facts, position=1, stream=_chat, occurred_at=utc_now(), previous=GENESIS, salt=new_salt()
    )
    return lambda: opened.append([row])


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name, logs() as log:
        place = Path(name)
        alone, million = DuckDBLog(place / "alone", projector=Unprojected()), DuckDBLog(log(1_000_000))
        one = interleaved(
            {
                FLOOR: floor(place, 500),
                "SQLite": sqlite(place),
                "the journal": journal(place),
                BARE: bare(place),
                "append": lambda: alone.append(Append(_chat, [message()])),
                "projected": lambda: million.append(Append(_chat, [message()])),
            },
            block=40,
            warm=10,
        )
        many = interleaved(
            {
                FLOOR: floor(place, 500_000),
                "append": lambda: million.append(Append(_chat, [message() for _ in range(1_000)])),
            },
            rounds=3,
        )
        alone.close()
        million.close()
    return [
        one[FLOOR].figure("write 500 bytes + fdatasync (the floor)", FLOOR),
        one["SQLite"].figure("SQLite, WAL, synchronous FULL, one row", FLOOR),
        one["the journal"].figure("only Anabranch's journal, one event", FLOOR),
        one[BARE].figure("bare DuckDB insert of one row", FLOOR),
        one["append"].figure("append one event, no read models", BARE, most=2),
        one["projected"].figure("append and project one event, log of a million", BARE, most=4),
        one["projected"].figure("… compared with the floor", FLOOR, most=1.5),
        Figure("… its 99th percentile", one["projected"].p99, "ms"),
        many["append"].figure("append and project 1,000 events in one batch", FLOOR),
    ]


if __name__ == "__main__":
    main(measure)
