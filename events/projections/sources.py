"""The known data sources, and the result of each one's last test."""

from events.projections.fields import column, stream_key
from events.projections.registers import Column, Last, Table, View

__all__ = ["SOURCES", "SOURCE_STATE"]

SOURCE_STATE = Table(
    "source_state",
    "name",
    "VARCHAR",
    stream_key,
    {
        "added_position": Column("BIGINT", Last({"SourceAdded": column("position")})),
        "facts_position": Column(
            "BIGINT", Last({"SourceAdded": column("position"), "SourceChanged": column("position")})
        ),
        "tested_position": Column("BIGINT", Last({"SourceTested": column("position")})),
        "removed_position": Column("BIGINT", Last({"SourceRemoved": column("position")})),
    },
    streams="source-",
)

SOURCES = View(
    "sources",
    """
    SELECT s.name, f.payload->>'$.facts.driver' AS driver, f.payload->>'$.facts.address' AS address,
           f.payload->>'$.facts.user' AS "user", f.payload->'$.facts.allowed' AS allowed,
           f.payload->>'$.facts.dialect' AS dialect,
           CAST(f.payload->>'$.facts.max_rows' AS BIGINT) AS max_rows,
           CAST(f.payload->>'$.facts.max_bytes' AS BIGINT) AS max_bytes,
           CAST(f.payload->>'$.facts.max_seconds' AS BIGINT) AS max_seconds,
           s.facts_position, a.occurred_at AS added_at, t.occurred_at AS tested_at,
           CAST(t.payload->>'$.connected' AS BOOLEAN) AS connected, t.payload->>'$.kind' AS problem_kind,
           t.payload->>'$.message' AS problem, t.payload->>'$.server' AS server,
           CAST(t.payload->>'$.tables' AS BIGINT) AS tables, CAST(t.payload->>'$.schemas' AS BIGINT) AS schemas
    FROM source_state s
    JOIN event_log a ON a.position = s.added_position
    JOIN event_log f ON f.position = s.facts_position
    LEFT JOIN event_log t ON t.position = s.tested_position AND s.tested_position > s.facts_position
    WHERE s.added_position > coalesce(s.removed_position, 0)
    """,
    "name",
)
"""The known data sources, each with the result of its last test since its last change."""
