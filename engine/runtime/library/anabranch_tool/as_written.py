"""Makes tables with the values as they are written in the files. SQL reads such a table as `as_written.orders`.

In `orders`, a column may have been converted to numbers or dates, with empty cells for values that could not be read
and with an assumed order of day and month. In `as_written.orders` the columns of text files are text, with every value
as it is written. Cells that have a type, as in a workbook, keep it. The rows are in the same order, so that both tables
can be joined by position.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from anabranch_tool.opened_tables import OpenTables, Table
from anabranch_tool.table_cache import typed_entry

__all__ = ["SCHEMA", "tables_as_written"]

SCHEMA = "as_written"
_NOTHING_IS_READ = -1.0
"""The share of a column's values that may be unreadable. It is negative, so every column stays text."""


def tables_as_written(workspace: Path, opened: OpenTables, tables: Iterable[Table]) -> list[Table]:
    """Return tables with the values of `tables` as they are written in the files, and create the schema for them.
    Tables of Parquet files and links are left out.
    """
    opened.connection.execute(f"CREATE SCHEMA {SCHEMA}")
    found = []
    for number, table in enumerate(tables):
        if table.kind in ("parquet", "link"):
            continue
        target = Path(opened.spill.name) / f"written-{number}"
        entry = typed_entry(workspace, table.path, target, _NOTHING_IS_READ)
        told = next((one for one in entry["tables"] if one["sheet"] == table.sheet), None)
        if told is not None:
            found.append(
                replace(
                    table,
                    moment=SCHEMA,
                    parquet=(target / told["parquet"],),
                    notes=(),
                    losses=tuple(told["losses"]),
                    columns=tuple(told["columns"]),
                )
            )
    return found
