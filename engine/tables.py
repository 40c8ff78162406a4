"""What is known of a workspace's tables: values that models, the system text and the Files panel share.

They are computed in a tool process (`anabranch_tool.tables:profile`), never by reading a user's file in ours,
and kept by the file's hash.
"""

from pydantic import BaseModel, ConfigDict

__all__ = ["ColumnProfile", "TableProfile"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ColumnProfile(_Value):
    """One column of a table."""

    name: str
    type: str
    """DuckDB's type name, e.g. `BIGINT`, `VARCHAR`, `DATE`."""
    distinct: int
    """Different values, without the missing one."""
    missing: int
    """Rows without a value."""
    minimum: str | None = None
    """Smallest value as text; None where the column is empty or has no order."""
    maximum: str | None = None
    values: tuple[str, ...] = ()
    """Different values as text, most frequent first; all where `values_complete`. Numbers only where few."""
    values_complete: bool = False


class TableProfile(_Value):
    """One table that SQL can name."""

    name: str
    """The name in SQL, unique within the workspace, unquoted."""
    path: str
    """The file, relative to the workspace, with `/`."""
    sheet: str | None = None
    """The sheet of a workbook."""
    rows: int
    columns: tuple[ColumnProfile, ...]
    note: str | None = None
    """What the reader had to assume or could not read, in words."""
