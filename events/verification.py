"""Verifies the hash chain. DuckDB builds the texts and OpenSSL hashes them, four times as fast as DuckDB.

If this finds a fault, a set-based pass in DuckDB finds out what is wrong: each event stores its predecessor's hash, so
each link can be checked separately. Only a fault that this second pass confirms is reported.
"""

from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from typing import Any, Literal

import duckdb

from events.chain import BODY, OWN_TEXT, PREVIOUS, WHOLE_TEXT
from events.log import Verification
from events.stored_row import FORMAT, GENESIS

__all__ = ["verify_chain"]

_WALK = f"""
SELECT concat({OWN_TEXT}, '{PREVIOUS}', lower(hex(e.hash))) AS text, e.hash, e.position, {BODY} AS body,
       e.payload_hash, CAST(e.format AS BIGINT) AS format
FROM event_log e
"""
"""Selects each text followed by its hash. So in a batch's buffer, a hash directly precedes the text of the next event.
In front of the hash is its label, which is part of the next text in format 2 but not in format 1.
"""

_BATCH = 8192
_HEX, _BYTES = 64, 32
_AFTER = len(PREVIOUS) + _HEX

_FIRST_BAD = f"""
SELECT e.position, p.step, e.type, e.format
FROM event_log e JOIN (
  SELECT position, lag(hash) OVER log AS hash, position - coalesce(lag(position) OVER log, 0) AS step
  FROM event_log WINDOW log AS (ORDER BY position)
) p ON p.position = e.position
WHERE p.step <> 1 OR e.format NOT IN (1, {FORMAT}) OR unhex(sha256({WHOLE_TEXT})) IS DISTINCT FROM e.hash
   OR (e.format > 1 AND unhex(sha256({BODY})) IS DISTINCT FROM e.payload_hash)
ORDER BY e.position LIMIT 1
"""
"""Selects the first fault. Only hashes and positions are sorted; the texts stay in place."""

_FIRST_OUT_OF_STREAM = """
SELECT position, stream FROM (
  SELECT position, stream, version, row_number() OVER (PARTITION BY stream ORDER BY position) AS place FROM event_log
) WHERE version <> place ORDER BY position LIMIT 1
"""


def verify_chain(cursor: duckdb.DuckDBPyConnection) -> Verification:
    """Recompute every hash, and return the first position whose event was changed after it was written."""
    counted = cursor.execute("SELECT count(*), coalesce(max(position), 0) FROM event_log").fetchall()
    events, head = counted[0]
    try:
        whole = events == head == _walked(cursor)
    except Exception:  # an error of Arrow or DuckDB; the slow check then finds the fault, if there is one
        whole = False
    bad = [] if whole else cursor.execute(_FIRST_BAD).fetchall()
    if bad:
        position, step, event_type, written_in = bad[0]
        if step > 1:
            missing = position - step + 1
            return Verification(False, events, head, missing, f"Event {missing} is missing.")
        problem = f"Event {position} ({event_type}) was changed after it was written."
        if written_in is None or written_in > FORMAT:
            problem = (
                f"Event {position} ({event_type}) is written in hash format {written_in}, and this release knows "
                f"formats 1 to {FORMAT}. A newer release can verify it."
            )
        return Verification(False, events, head, position, problem)
    out = cursor.execute(_FIRST_OUT_OF_STREAM).fetchall()
    if out:
        position, stream = out[0]
        problem = f"Event {position} is out of order in stream {stream}."
        return Verification(False, events, head, position, problem)
    return Verification(True, events, head)


def _walked(cursor: duckdb.DuckDBPyConnection) -> int:
    """Check the log in its stored order. Return the position up to which its chain is intact, in whole batches."""
    position, last = 0, f"{PREVIOUS}{GENESIS}".encode()
    for texts, hashes, positions, bodies, payload_hashes, formats in _batches(cursor):
        count = len(positions)
        written_in = _numbers(formats, 1, "q", count).tolist()
        ends = _ends(texts).tolist()
        text = memoryview(texts.buffers()[2]).cast("B")
        starts = [a - _HEX - (len(PREVIOUS) if f > 1 else 0) for a, f in zip(ends, written_in, strict=False)]
        first = last[0 if written_in[0] > 1 else len(PREVIOUS) :]
        digests = [
            sha256(first + text[ends[0] : ends[1] - _AFTER]).digest(),
            *(sha256(text[a : b - _AFTER]).digest() for a, b in zip(starts[1:], ends[2:], strict=True)),
        ]
        if not (
            _numbers(positions, 1, "q", count) == array("q", range(position + 1, position + count + 1))
            and set(written_in) <= set(range(1, FORMAT + 1))
            and _ends(hashes) == array("i", range(0, count * _BYTES + 1, _BYTES))
            and b"".join(digests) == memoryview(hashes.buffers()[2]).cast("B")[: count * _BYTES]
            and _bodies_hold(bodies, payload_hashes, written_in)
        ):
            break
        position, last = position + count, bytes(text[ends[-1] - _AFTER : ends[-1]])
    return position


def _bodies_hold(bodies: Any, payload_hashes: Any, written_in: list[int]) -> bool:
    """Whether each payload of format 2 matches its stored hash."""
    if 1 in written_in and set(written_in) == {1}:
        return True
    body, ends = memoryview(bodies.buffers()[2]).cast("B"), _ends(bodies).tolist()
    made = [
        sha256(body[a:b]).digest() if f > 1 else b""
        for (a, b), f in zip(pairwise(ends), written_in, strict=True)
    ]
    found = _ends(payload_hashes).tolist()
    if [len(digest) for digest in made] != [b - a for a, b in pairwise(found)]:
        return False
    return b"".join(made) == memoryview(payload_hashes.buffers()[2]).cast("B")[found[0] : found[-1]]


def _batches(cursor: duckdb.DuckDBPyConnection) -> Iterator[Any]:
    """Yield the columns of `_WALK` in Arrow, batch by batch; the next batch is made while the caller hashes the
    current one.
    """
    reader = cursor.sql(_WALK).to_arrow_reader(_BATCH)
    with ThreadPoolExecutor(1, "the next batch") as ahead:
        coming = ahead.submit(next, reader, None)
        while (batch := coming.result()) is not None:
            coming = ahead.submit(next, reader, None)
            if batch.num_rows:
                yield batch.columns


def _ends(strings: Any) -> memoryview:
    """Return where each text or blob of a column begins in its bytes, and where the last one ends."""
    return _numbers(strings, 1, "i", len(strings) + 1)


def _numbers(column: Any, buffer: int, kind: Literal["i", "q"], count: int) -> memoryview:
    numbers = memoryview(column.buffers()[buffer]).cast("B").cast(kind)
    return numbers[column.offset : column.offset + count]
