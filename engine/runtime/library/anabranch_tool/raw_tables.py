"""A reader's output before typing: rows that SQL can read, with columns that are text or already typed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from anabranch_tool.column_types import quote

__all__ = ["RawTable", "sample_of", "sql_text"]

_SAMPLED = 1_000
_CELLS = 200_000
"""The maximum number of values in a sample. The sample of a wide table therefore has fewer rows."""


@dataclass(slots=True)
class RawTable:
    """A table whose text columns have not been given types yet."""

    source: str
    """The SQL relation to select from."""
    columns: Sequence[tuple[str, str]]
    """The name and DuckDB type of each column; `VARCHAR` columns are typed by their values."""
    sheet: str | None = None
    notes: list[str] = field(default_factory=list)
    """The assumptions that were made."""
    losses: list[str] = field(default_factory=list)
    """The values and rows that could not be read."""
    sample: Callable[[], Mapping[str, Sequence[str]]] | None = None
    """Returns values from all parts of each text column; None if SQL can read these values."""
    droppable: frozenset[str] = frozenset()
    """Columns without a name, which are omitted if they are empty."""


def sql_text(text: object) -> str:
    """Return a text escaped for SQL, without the quotation marks around it."""
    return str(text).replace("'", "''")


def sample_of(connection: duckdb.DuckDBPyConnection, raw: RawTable) -> Mapping[str, Sequence[str]]:
    """Return some values of each text column of `raw`: from the first rows, and from all parts of the table."""
    if raw.sample is not None:
        return raw.sample()
    names = [name for name, kind in raw.columns if kind == "VARCHAR"]
    if not names:
        return {}
    most = max(50, min(_SAMPLED, _CELLS // len(names)))
    listed = ", ".join(quote(name) for name in names)
    counted: Any = connection.execute(f"SELECT count(*) FROM {raw.source}").fetchone()
    step = max(1, counted[0] // most)
    rows = connection.execute(f"SELECT {listed} FROM {raw.source} LIMIT {most}").fetchall()
    if step > 1:
        rows += connection.execute(
            f"SELECT {listed} FROM (SELECT {listed}, row_number() OVER () AS anabranch_row FROM {raw.source}) "
            f"WHERE anabranch_row % {step} = 0 LIMIT {most}"
        ).fetchall()
    return {name: [row[at] for row in rows if row[at] is not None] for at, name in enumerate(names)}
