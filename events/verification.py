"""Walking the hash chain, in one set-based pass: each event's predecessor hash is stored, so each link stands alone."""

import duckdb

from events.log import Verification
from events.schema import CHAIN_TEXT

__all__ = ["verify_chain"]

_FIRST_BAD = f"""
SELECT e.position, p.step, e.type
FROM event_log e JOIN (
  SELECT position, lag(hash) OVER log AS hash, position - coalesce(lag(position) OVER log, 0) AS step
  FROM event_log WINDOW log AS (ORDER BY position)
) p ON p.position = e.position
WHERE p.step <> 1 OR unhex(sha256({CHAIN_TEXT})) IS DISTINCT FROM e.hash
ORDER BY e.position LIMIT 1
"""
"""Only hashes and positions are put in order; texts are hashed where they stand."""

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
        position, step, event_type = bad[0]
        if step > 1:
            missing = position - step + 1
            return Verification(False, events, head, missing, f"Event {missing} is missing.")
        problem = f"Event {position} ({event_type}) is not as it was written."
        return Verification(False, events, head, position, problem)
    out = cursor.execute(_FIRST_OUT_OF_STREAM).fetchall()
    if out:
        position, stream = out[0]
        problem = f"Event {position} is out of order in stream {stream}."
        return Verification(False, events, head, position, problem)
    return Verification(True, events, head)
