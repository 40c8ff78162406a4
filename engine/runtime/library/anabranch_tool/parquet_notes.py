"""Notes inside a Parquet file about values that were lost in conversion, so that later results can repeat them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from anabranch_tool.column_types import quote
from anabranch_tool.raw_tables import sql_text

__all__ = ["read_notes", "write_result"]

_KEY = "anabranch_notes"
_MOST = 50
_LONGEST = 1_000
_EXACT = 9223372036854775807


def write_result(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    file: Path,
    notes: Mapping[str, str] | Sequence[str] = (),
) -> None:
    """Write a table or view named `source`, or a SELECT in parentheses, to the Parquet file `file`.

    `notes` maps columns to sentences about them (an empty name means the whole table), or is a list of sentences. Sums
    of whole numbers stay exact if they have at most 38 digits.
    """
    told = dict(notes) if isinstance(notes, Mapping) else ({"": " ".join(notes)} if notes else {})
    kept = []
    for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall():
        column = quote(name)
        if kind == "HUGEINT":  # otherwise Parquet stores it as a rounded DOUBLE
            row = connection.execute(f"SELECT max(abs({column})) < {_EXACT} FROM {source}").fetchone()
            kept.append(
                f"CAST({column} AS {'BIGINT' if row and row[0] is not False else 'DECIMAL(38,0)'}) AS {column}"
            )
        else:
            kept.append(column)
    metadata = f", KV_METADATA {{{_KEY}: '{sql_text(json.dumps(told, ensure_ascii=False))}'}}" if told else ""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection.execute(
        f"COPY (SELECT {', '.join(kept)} FROM {source}) TO '{sql_text(file.resolve())}' (FORMAT parquet{metadata})"
    )


def read_notes(file: Path) -> dict[str, str]:
    """Return the notes in a Parquet file; empty if it has none. The notes are shortened, because anyone may have
    written them.
    """
    try:
        metadata = pq.read_metadata(file).metadata or {}
        told = json.loads(metadata.get(_KEY.encode(), b"{}"))
    except (pa.ArrowException, OSError, ValueError, RecursionError):
        return {}
    if not isinstance(told, dict):
        return {}
    texts = [(str(name), text) for name, text in told.items() if isinstance(text, str)]
    return {name: text[:_LONGEST] for name, text in texts[:_MOST]}
