"""Walking the hash chain, in one set-based pass: each event's predecessor hash is stored, so each link stands alone."""

import duckdb

from events.log import Verification
from events.schema import CHAIN_TEXT

__all__ = ["verify_chain"]

_FIRST_BAD = f"""
SELECT e.position, e.position > 1 AND p.position IS NULL AS gap, e.type
FROM event_log e LEFT JOIN event_log p ON p.position = e.position - 1
WHERE unhex(sha256({CHAIN_TEXT})) IS DISTINCT FROM e.hash OR (e.position > 1 AND p.position IS NULL)
ORDER BY e.position LIMIT 1
"""

_FIRST_OUT_OF_STREAM = """
SELECT position, stream FROM (
  SELECT position, stream, version, row_number() OVER (PARTITION BY stream ORDER BY position) AS place FROM event_log
) WHERE version <> place ORDER BY position LIMIT 1
"""


def verify_chain(cursor: duckdb.DuckDBPyConnection) -> Verification:
    """Recompute every hash and return the first position that is not as it was written."""
    counted = cursor.execute("SELECT count(*), coalesce(max(position), 0) FROM event_log").fetchall()
    events, head = counted[0]
    bad = cursor.execute(_FIRST_BAD).fetchall()
    if bad:
        position, gap, event_type = bad[0]
        if gap:
            return Verification(False, events, head, position - 1, f"Event {position - 1} is missing.")
        problem = f"Event {position} ({event_type}) is not as it was written."
        return Verification(False, events, head, position, problem)
    out = cursor.execute(_FIRST_OUT_OF_STREAM).fetchall()
    if out:
        position, stream = out[0]
        problem = f"Event {position} is out of order in stream {stream}."
        return Verification(False, events, head, position, problem)
    return Verification(True, events, head)
