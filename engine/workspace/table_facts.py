"""Facts about a workspace's tables, shared by models, the system text and the Files panel.

They are computed in a tool process (`anabranch_tool.table_cache`), so that our own process never reads a user's file,
and cached by the file's hash.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["ColumnProfile", "SourceOfTable", "TableProfile"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ColumnProfile(_Value):
    """One column of a table."""

    name: str
    type: str
    """DuckDB's type name, e.g. `BIGINT`, `VARCHAR`, `DATE`."""
    distinct: int
    """The number of different values, not counting missing values."""
    distinct_estimated: bool = False
    """Whether `distinct` is an estimate because there are too many different values."""
    missing: int
    """The number of rows without a value, not counting rows whose value cannot be read."""
    minimum: str | None = None
    """The smallest value as text; None if the column is empty or its values have no order."""
    maximum: str | None = None
    values: tuple[str, ...] = ()
    """Different values as text, most frequent first; all of them if `values_complete`. Numbers are listed only if there
    are few different ones.
    """
    values_complete: bool = False
    unreadable: int = 0
    """The number of values in the file that do not have the column's type and are NULL in the table."""
    unreadable_examples: tuple[str, ...] = ()
    """Some unreadable values as they are written, in order of appearance."""
    notes: tuple[str, ...] = ()
    """Sentences about assumptions made for this column and values that could not be read."""


class SourceOfTable(_Value):
    """The database or query engine of a table that is not in a file of the chat."""

    name: str
    """The name of the source."""
    dialect: str
    """The SQL dialect, by its name in `sqlglot`."""
    schema_name: str
    """The name of the schema; empty if the source has no schemas."""
    table: str


class TableProfile(_Value):
    """One table that SQL can name."""

    name: str
    """The table's name in SQL, unique within the workspace, unquoted."""
    path: str
    """The file, or the folder of Parquet files that are one table, relative to the workspace, with `/`."""
    sheet: str | None = None
    """The sheet of a workbook, or the table of a database."""
    rows: int
    rows_are: Literal["all", "about", "at least"] = "all"
    """Whether `rows` was counted, was stated by a source, or counts only the part of the table that was read."""
    columns: tuple[ColumnProfile, ...]
    notes: tuple[str, ...] = ()
    """Sentences about what the reader assumed or left out, except sentences about a single column."""
    source: SourceOfTable | None = None
    """The source; None if the table is in a file. With a source, `name` and `path` are `source.schema.table`, and SQL
    runs in the source.
    """

    @property
    def rows_text(self) -> str:
        """Return the number of rows in words: `1,200 rows`, `at least 100,000 rows`."""
        lead = "" if self.rows_are == "all" else f"{self.rows_are} "
        return f"{lead}{self.rows:,} rows"

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Return the notes of the table and of its columns."""
        return (*self.notes, *(note for column in self.columns for note in column.notes))
