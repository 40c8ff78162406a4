"""Files as bytes for readers and downloads: pages of Parquet for the grid, whole results as CSV or Parquet."""

import io

import duckdb
import pandas as pd
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from engine.rendering.plans import FileRef
from ui.shared import app

__all__ = ["SHOWN_ROWS", "as_csv", "first_rows", "read_bytes", "row_count"]

SHOWN_ROWS = 1000
"""Rows of a result that a card loads; the downloads hold all."""


def read_bytes(chat_id: str, file: FileRef) -> bytes:
    """A planned file's bytes, by hash."""
    return app().workspace.read(chat_id, file.sha256)


def row_count(chat_id: str, file: FileRef) -> int:
    """How many rows a Parquet file has, from its foot alone."""
    return int(pq.read_metadata(app().workspace.path(chat_id, file.sha256)).num_rows)


def first_rows(chat_id: str, file: FileRef, rows: int = SHOWN_ROWS) -> pd.DataFrame:
    """The first rows of a Parquet file."""
    path = str(app().workspace.path(chat_id, file.sha256))
    with duckdb.connect(":memory:") as connection:
        return connection.execute("SELECT * FROM read_parquet(?) LIMIT ?", [path, rows]).df()


def as_csv(chat_id: str, file: FileRef) -> bytes:
    """The whole of a Parquet file as CSV."""
    table = pq.read_table(app().workspace.path(chat_id, file.sha256))
    written = io.BytesIO()
    arrow_csv.write_csv(table, written)
    return written.getvalue()
